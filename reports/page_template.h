// The HTML page as the build made it from reports/page/: everything but the facts.
#pragma once

#include <iosfwd>
#include <span>
#include <string_view>

namespace kvrace::reports {

struct page_template {
  std::span<const std::string_view> before;  // in pieces; the facts stand between these two
  std::span<const std::string_view> after;
  std::string_view missing;                  // why there is no page, for the end of a line; empty if there is one
};
[[nodiscard]] const page_template& embedded_page();

// The whole page. `facts` can stand in an element of it, see page_json.h.
void write_page(std::ostream&, std::string_view facts);

}  // namespace kvrace::reports
