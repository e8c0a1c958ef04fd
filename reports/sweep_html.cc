#include <ostream>
#include <sstream>
#include <utility>

#include "reports/page_json.h"
#include "reports/page_template.h"
#include "reports/plain_text.h"
#include "reports/sweep.h"

namespace kvrace::reports {
namespace {

using nlohmann::json;

void make_printable(json& value) {
  if (value.is_string()) value = printable(value.get_ref<const std::string&>());
  if (value.is_object()) {
    json renamed = json::object();
    for (auto& item : value.items()) {
      make_printable(item.value());
      renamed[printable(item.key())] = std::move(item.value());
    }
    value = std::move(renamed);
  } else if (value.is_array()) {
    for (json& each : value) make_printable(each);
  }
}

}  // namespace

void write_sweep_html(std::ostream& out, const sweep_facts& facts) {
  std::ostringstream text;
  write_sweep_json(text, facts);
  json sweep = json::parse(std::move(text).str());
  make_printable(sweep);
  sweep["scenario"]["text"] = printable_lines(facts.scenario.text);
  write_page(out, element_text(json{{"sweep", std::move(sweep)}}));
}

}  // namespace kvrace::reports
