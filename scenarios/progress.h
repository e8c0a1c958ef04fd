// What a person sees and can do while a search runs.
#pragma once

#include <cstdint>
#include <string>

#include <kvrace/observer.h>

#include "scenarios/traffic_account.h"

namespace kvrace::scenarios {

// From now on, SIGINT and SIGTERM ask for a clean end; the second one of a kind ends the process as usual.
void stop_on_signals();
[[nodiscard]] bool stop_requested();

// Keeps one line on standard error up to date if that is a terminal; silent otherwise. Ends the search when asked to stop.
class progress_line final : public kvrace::search_observer {
 public:
  // `traffic` is null for other scenarios.
  explicit progress_line(std::string title, const traffic_account* traffic = nullptr);
  ~progress_line() override;
  bool on_progress(const kvrace::search_progress&) override;

 private:
  std::string title_;
  const traffic_account* traffic_;
  bool is_terminal_;
  bool shown_ = false;
};

// "01_name: 61% of 1000 runs, 2 s left, 12345/s, 345 schedules", those schedules being different ones; for a search that explores
// everything, "02_name: 5118 runs, 50911/s, bound 4, 5779 states, 310 open".
[[nodiscard]] std::string describe_progress(const std::string& title, const kvrace::search_progress&);

// "50_name: 61% of 20000 requests, 15 virtual s, 2 s left, 198765/s"; in a search of several runs, the present one.
struct traffic_progress {
  std::uint64_t requests = 0;  // ended in the present run
  std::uint64_t requests_expected = 0;  // in one run
};
[[nodiscard]] std::string describe_progress(const std::string& title, const kvrace::search_progress&, const traffic_progress&);

}  // namespace kvrace::scenarios
