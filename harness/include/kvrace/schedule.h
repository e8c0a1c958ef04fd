// A schedule: the answers given in one run, as a value that prints and parses.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kvrace {

// One answer that differs from the baseline. The baseline runs the current task until it blocks, ends or yields, then the
// enabled task with the lowest id (after a yield: the next enabled id in cyclic order), and gives every choice its outcome 0.
//
// A deviation is addressed by the task's own operation count, so that an edit in one task does not shift the others.
struct deviation {
  enum class kind : std::uint8_t {
    switch_to,  // when `task` has announced its operation number `operation` (or has ended after `operation - 1`), `answer` runs
    value,      // the choice that is operation number `operation` of `task` has outcome `answer`
  };
  kind what = kind::switch_to;
  unsigned task = 0;            // 0 is the body of the test, tasks count from 1 in the order in which they are spawned
  std::uint64_t operation = 0;  // counts from 1
  std::uint64_t answer = 0;

  friend bool operator==(const deviation&, const deviation&) = default;
};

// The deviations of one run in the order in which they were taken.
//
// Text form: "baseline" for none, else items joined by ',': `T.N:U` (switch) and `T.N=V` (value), for example
// "1.3:2,2.2:1,1.9=1". In front, "timeouts/", "search/", "graph/", "rc11/" or "rc11-timeouts/" where the setting is not `sampled`.
struct schedule {
  // How the run was set up beside the answers; a schedule means something in its own setting only.
  enum class setting : std::uint8_t {
    sampled,  // virtual time; a task starts when it is chosen
    timeouts_any_time,  // check_options::timeouts_any_time
    search,  // prove(): timeouts at any time, and every task announces before anybody is chosen
    graph,   // of a proof by graphs: no interleaving is like it, since loads are stale. The same proof shows it again
    rc11,    // sampled under memory_model::rc11: a load with more than one store to read from is a choice
    rc11_timeouts,  // both
  };
  [[nodiscard]] static constexpr bool has_stale_reads(setting how) {
    return how == setting::rc11 || how == setting::rc11_timeouts;
  }
  setting set_up = setting::sampled;
  std::vector<deviation> deviations;

  [[nodiscard]] std::string to_string() const;
  // nullopt if `text` is no schedule; then `*error`, if given, names the item and what was expected.
  static std::optional<schedule> parse(std::string_view text, std::string* error = nullptr);

  friend bool operator==(const schedule&, const schedule&) = default;
};

}  // namespace kvrace
