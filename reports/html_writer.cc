#include <ostream>

#include "reports/page_data.h"
#include "reports/page_template.h"
#include "reports/report.h"

namespace kvrace::reports {

std::string_view html_missing() { return embedded_page().missing; }

void write_page(std::ostream& out, std::string_view facts) {
  const page_template& page = embedded_page();
  for (const std::string_view piece : page.before) out << piece;
  out << facts;
  for (const std::string_view piece : page.after) out << piece;
}

void write_html(std::ostream& out, std::span<const report> reports, const presentation& how) {
  write_page(out, page_data(reports, how.rules));
}

}  // namespace kvrace::reports
