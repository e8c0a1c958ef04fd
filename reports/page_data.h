// The facts of reports as the HTML page takes them: one JSON value without what a page cannot show.
#pragma once

#include <span>
#include <string>

#include "reports/report.h"

namespace kvrace::reports {

// What a page holds at most. What is left out is counted, and stands in the JSON report.
struct page_limits {
  std::size_t reports = 3'000;         // those that did not come out as expected go first
  std::size_t groups = 1'000;          // of findings with one signature
  std::size_t findings = 3'000;        // told one by one, over all groups
  std::size_t rows_of_trace = 4'000;   // of a longer one, the steps that decide and their neighbours
  std::size_t rows = 120'000;          // over all traces; findings beyond them are told without
  std::size_t ledger_events = 2'000;   // of one finding; of more, those about its subject, and the last of these
  std::size_t windows = 1'000;         // of traffic
  std::size_t scenario_bytes = 2'000'000;  // texts of scenarios, over all
};

// To stand in an element of the page, see page_json.h. Every string in it is printable, see plain_text.h. Its members are read by
// reports/page/src/facts.js.
[[nodiscard]] std::string page_data(std::span<const report>, std::span<const rule> rules, const page_limits& = {});

}  // namespace kvrace::reports
