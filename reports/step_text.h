// A step of a finding in words, the same in every format.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "reports/report.h"

namespace kvrace::reports {

// All of these are printable, see plain_text.h.
[[nodiscard]] std::string step_text(const trace_step&);  // "store atomic 'head': 2"
[[nodiscard]] std::string site_text(const source_site&);  // "mutex.h:34"; empty if there is none
[[nodiscard]] std::string time_text(std::uint64_t ns);  // "0 s", "1.5 ms"
[[nodiscard]] std::string counted(std::uint64_t count, std::string_view noun);  // "1 step", "2 steps", "2 switches"
[[nodiscard]] std::string task_name(const std::vector<std::string>& tasks, unsigned task);  // "task 3" if it has no name

// The finding of that index as it is best shown: what it shrank to, if that is known.
[[nodiscard]] const finding& shown_finding(const report&, std::size_t index);

// Whether step `index` of the trace is the one at which the oracle failed.
[[nodiscard]] bool failed_at(const finding&, std::size_t index);

// Indices into the trace, ascending, `most` at most: all of a short trace; of a longer one the steps that decide or preempt with
// their neighbours; of too many of these, the first third and the last two thirds.
[[nodiscard]] std::vector<std::size_t> telling_steps(const finding&, std::size_t most);

}  // namespace kvrace::reports
