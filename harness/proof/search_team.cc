#include "proof/search_team.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <new>

namespace kvrace::detail {

void explored_counts::add(const explored_counts& part) {
  states += part.states;
  open += part.open;
  executions += part.executions;
  blocked += part.blocked;
  undecided += part.undecided;
  tasks_max = std::max(tasks_max, part.tasks_max);
  held_back |= part.held_back;
  ordered_causally |= part.ordered_causally;
  runs += part.runs;
  steps += part.steps;
  decisions += part.decisions;
  switches += part.switches;
  decisions_max = std::max(decisions_max, part.decisions_max);
}

search_team::search_team(unsigned jobs, std::size_t metrics, limits within)
    : jobs_(jobs),
      metrics_(metrics),
      limits_(within),
      bytes_(sizeof(common) + jobs * sizeof(letter) + (jobs + 1) * metrics * sizeof(std::uint64_t)),
      memory_(::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {
  if (memory_ == MAP_FAILED) throw std::bad_alloc();
  auto* at = static_cast<std::byte*>(memory_);
  shared_ = reinterpret_cast<common*>(at);
  letters_ = reinterpret_cast<letter*>(at + sizeof(common));
  metrics_at_ = reinterpret_cast<std::uint64_t*>(at + sizeof(common) + jobs * sizeof(letter));
}

search_team::~search_team() { ::munmap(memory_, bytes_); }

// ---- work ----

namespace {

struct errand_head {
  state_key after;
  std::uint64_t answers;
  std::uint64_t distinct_key;
};

}  // namespace

bool search_team::hand_over(std::span<const errand> work) {
  std::size_t bytes = 0;
  for (const errand& each : work) bytes += sizeof(errand_head) + each.answers.size() * sizeof(each.answers[0]);
  if (bytes > letter_bytes) return false;
  for (unsigned member = 0; member < jobs_; ++member) {
    letter& to = letters_[member];
    std::uint32_t expected = waiting;
    if (!to.state.compare_exchange_strong(expected, being_written)) continue;
    shared_->waiting.fetch_sub(1);
    std::byte* at = to.text;
    for (const errand& each : work) {
      const errand_head head{each.after, each.answers.size(), each.distinct_key ? 1U : 0U};
      std::memcpy(at, &head, sizeof head);
      std::memcpy(at + sizeof head, each.answers.data(), each.answers.size() * sizeof(each.answers[0]));
      at += sizeof head + each.answers.size() * sizeof(each.answers[0]);
    }
    to.errands = work.size();
    to.state = written;
    return true;
  }
  return false;
}

void search_team::read(const letter& from, std::vector<errand>& work) const {
  const std::byte* at = from.text;
  for (std::uint64_t i = 0; i < from.errands; ++i) {
    errand_head head{};
    std::memcpy(&head, at, sizeof head);
    errand& next = work.emplace_back();
    next.after = head.after;
    next.distinct_key = head.distinct_key != 0;
    next.answers.resize(head.answers);
    std::memcpy(next.answers.data(), at + sizeof head, head.answers * sizeof(next.answers[0]));
    at += sizeof head + head.answers * sizeof(next.answers[0]);
  }
}

search_team::next_is search_team::wait(unsigned member, std::uint64_t postponed, std::vector<errand>& work) {
  constexpr useconds_t pause_us = 20;
  letter& mine = letters_[member];
  mine.postponed = postponed;
  const unsigned bound = shared_->bound;
  mine.state = waiting;
  // All wait: nobody has work, and nobody is writing a letter, since that takes one from those who wait.
  if (shared_->waiting.fetch_add(1) + 1 == static_cast<int>(jobs_)) end_bound();
  for (;;) {
    if (over()) return next_is::end;
    if (mine.state == written) {
      read(mine, work);
      mine.state = idle;
      return next_is::work;
    }
    if (shared_->bound != bound) return next_is::next_bound;
    ::usleep(pause_us);
  }
}

bool search_team::too_many_states() const {
  return (limits_.states_max != 0 && shared_->states.load(std::memory_order_relaxed) >= limits_.states_max) ||
         states_.nearly_full();
}

void search_team::end_bound() {
  if (too_many_states()) return stop_by_states();
  std::uint64_t postponed = 0;
  for (unsigned member = 0; member < jobs_; ++member) postponed += letters_[member].postponed;
  const explored_counts sum = so_far();
  std::ranges::copy(metrics_so_far(), metrics_of(jobs_).begin());
  shared_->at_last_bound = sum;
  shared_->executions_by_bound[shared_->bounds++] = sum.executions;
  if (sum.open == 0 || shared_->bound == limits_.preemptions_max || postponed == 0 || shared_->bounds == bounds_max) {
    shared_->over = 1;
    return;
  }
  for (unsigned member = 0; member < jobs_; ++member) letters_[member].state = idle;
  shared_->waiting = 0;
  ++shared_->bound;
}

// ---- counts ----

void search_team::tell(unsigned member, const explored_counts& counts, std::span<const std::uint64_t> metrics) {
  letter& mine = letters_[member];
  shared_->states.fetch_add(counts.states - mine.counts.states, std::memory_order_relaxed);
  mine.counts = counts;
  std::copy(metrics.begin(), metrics.end(), metrics_of(member).begin());
}

search_team::outcome search_team::at_last_bound() const {
  const std::span<std::uint64_t> metrics = metrics_of(jobs_);
  return {shared_->at_last_bound,
          {metrics.begin(), metrics.end()},
          {shared_->executions_by_bound, shared_->executions_by_bound + shared_->bounds}};
}

explored_counts search_team::so_far() const {
  explored_counts sum;
  for (unsigned member = 0; member < jobs_; ++member) sum.add(letters_[member].counts);
  return sum;
}

std::vector<std::uint64_t> search_team::metrics_so_far() const {
  std::vector<std::uint64_t> sums(metrics_);
  for (unsigned member = 0; member < jobs_; ++member)
    for (std::size_t i = 0; i < metrics_; ++i) sums[i] += metrics_of(member)[i];
  return sums;
}

}  // namespace kvrace::detail
