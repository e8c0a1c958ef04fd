// The traces of findings as the HTML page takes them: rows of numbers, texts by their number, folded where they are long.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "reports/page_data.h"
#include "reports/report.h"

namespace kvrace::reports {

class page_traces {
 public:
  explicit page_traces(const page_limits& limits) : limits_(limits), rows_left_(limits.rows) { text(""); }

  // Null if no trace was recorded, or the page holds as many rows as it may.
  nlohmann::json add(const finding&);
  // A passing run; `tasks` are their names where it does not know them.
  nlohmann::json add(const passing_run&, const std::vector<std::string>& tasks);

  std::size_t text(std::string_view);  // its number; it is made printable
  [[nodiscard]] const nlohmann::json& strings() const { return strings_; }

  static std::string site_text(const source_site&);  // "folder/file.h:34", "" if it is unknown

 private:
  nlohmann::json row_of(const trace_step&);
  void add_relations(nlohmann::json& out, const finding&, const std::vector<std::size_t>& row_of_step);
  nlohmann::json ledger_of(const finding&);

  const page_limits limits_;
  std::size_t rows_left_;
  std::map<std::string, std::size_t, std::less<>> numbers_;
  nlohmann::json strings_ = nlohmann::json::array();
};

}  // namespace kvrace::reports
