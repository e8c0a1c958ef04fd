// What the processes of one bounded search share: the states, the bound, the work that is left, and what was counted.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "proof/state_table.h"

namespace kvrace::detail {

// Of a bounded search, or of one process's part of it: parts add up. What was explored comes to the same in whatever order it was
// explored, once a bound is exhausted; the effort does not.
struct explored_counts {
  std::uint64_t states = 0;
  std::int64_t open = 0;  // successors of visited states that were not visited
  std::uint64_t executions = 0;
  std::uint64_t blocked = 0;  // states where an assumption is not met
  std::uint64_t undecided = 0;  // executions with a history whose linearizability was not decided
  std::uint64_t tasks_max = 0;
  std::uint64_t held_back = 0;  // whether a task was that had given way often enough
  std::uint64_t ordered_causally = 0;  // whether calls of a history were
  // Effort.
  std::uint64_t runs = 0;
  std::uint64_t steps = 0;
  std::uint64_t decisions = 0;
  std::uint64_t switches = 0;
  std::uint64_t decisions_max = 0;

  void add(const explored_counts& part);
};

// To be made before the processes are forked. The one that runs out of work last, when nobody has any, ends the bound.
class search_team {
 public:
  struct limits {
    unsigned preemptions_max = 0;
    std::uint64_t states_max = 0;  // 0: none
  };
  search_team(unsigned jobs, std::size_t metrics, limits within);
  search_team(const search_team&) = delete;
  search_team& operator=(const search_team&) = delete;
  ~search_team();

  [[nodiscard]] state_table& states() { return states_; }

  // ---- for the members, by number ----

  // A way from the root to what is left to explore: answers, the last of which may be known to lead to `after`.
  struct errand {
    bool distinct_key = false;
    state_key after;
    std::vector<std::uint16_t> answers;
  };
  [[nodiscard]] bool somebody_waits() const { return shared_->waiting.load(std::memory_order_relaxed) > 0; }
  // Hands work to one that waits. False: it has found some elsewhere, or an errand is too long.
  bool hand_over(std::span<const errand> work);

  enum class next_is : std::uint8_t { work, next_bound, end };
  // To be called without any work left but `postponed` branches that need a higher bound.
  next_is wait(unsigned member, std::uint64_t postponed, std::vector<errand>& work);
  void tell(unsigned member, const explored_counts& counts, std::span<const std::uint64_t> metrics);
  // Ends the search for all.
  void stop_by_failure() { shared_->failed = shared_->over = 1; }
  void stop_by_states() { shared_->out_of_states = shared_->over = 1; }
  [[nodiscard]] bool over() const { return shared_->over.load(std::memory_order_relaxed) != 0; }
  [[nodiscard]] bool too_many_states() const;

  // ---- what came of it ----

  [[nodiscard]] bool failed() const { return shared_->failed != 0; }  // a violation was seen, or something uncontrolled
  [[nodiscard]] bool out_of_states() const { return shared_->out_of_states != 0; }
  [[nodiscard]] unsigned bound() const { return shared_->bound; }
  // At the end of the last bound that was exhausted.
  struct outcome {
    explored_counts counts;
    std::vector<std::uint64_t> metrics;
    std::vector<std::uint64_t> executions_by_bound;
  };
  [[nodiscard]] outcome at_last_bound() const;
  [[nodiscard]] explored_counts so_far() const;
  [[nodiscard]] std::vector<std::uint64_t> metrics_so_far() const;

 private:
  static constexpr std::size_t bounds_max = 1U << 16U;
  static constexpr std::size_t letter_bytes = 1U << 22U;

  enum : std::uint32_t { idle, waiting, being_written, written };
  struct letter {
    std::atomic<std::uint32_t> state;
    std::uint64_t errands;
    std::uint64_t postponed;
    explored_counts counts;
    std::byte text[letter_bytes];  // backed as far as it is used
  };
  struct common {
    std::atomic<int> waiting;
    std::atomic<unsigned> bound;
    std::atomic<std::uint32_t> over, failed, out_of_states;
    std::atomic<std::uint64_t> states;
    std::uint64_t bounds;
    explored_counts at_last_bound;
    std::uint64_t executions_by_bound[bounds_max];
  };
  [[nodiscard]] std::span<std::uint64_t> metrics_of(unsigned member) const { return {metrics_at_ + member * metrics_, metrics_}; }
  void end_bound();
  void read(const letter& from, std::vector<errand>& work) const;

  unsigned jobs_;
  std::size_t metrics_;
  limits limits_;
  state_table states_{state_table::used_by::forked_processes};
  std::size_t bytes_;
  void* memory_;
  common* shared_;
  letter* letters_;
  std::uint64_t* metrics_at_;  // of each member, and of the last bound
};

}  // namespace kvrace::detail
