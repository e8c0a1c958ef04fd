#include "memory/lock_order.h"

#include <algorithm>

#include "runtime/execution.h"
#include "runtime/recorder.h"

namespace kvrace::detail {

namespace {

// Enough for any class under test; what a run takes beyond it is not looked at.
constexpr std::size_t edges_max = 1'024;

bool waits(operation_kind kind) {
  return kind == operation_kind::lock || kind == operation_kind::lock_shared || kind == operation_kind::reacquire;
}

}  // namespace

void lock_order::begin_run() {
  for (std::vector<held_lock>& each : held_) each.clear();
  for (knowledge& each : known_) each.fill(0);
  known_[0][0] = 1;
  edges_.clear();
  edges_.reserve(edges_max);  // cycles point into it
  reported_ = false;
}

void lock_order::spawned(unsigned slot) {
  knowledge& mine = known_[state.slot];
  known_[slot] = mine;
  known_[slot][slot] = 1;
  ++mine[state.slot];
}

void lock_order::joined(unsigned slot) {
  knowledge& mine = known_[state.slot];
  for (unsigned lane = 0; lane < tasks_max; ++lane) mine[lane] = std::max(mine[lane], known_[slot][lane]);
}

void lock_order::taken(const object& lock, bool shared) {
  const held_lock fresh{lock.id, lock.type, shared, state.current->where};
  std::vector<held_lock>& mine = held_[state.slot];
  if (waits(state.current->pending_kind) && !reported_)
    for (const held_lock& outer : mine) add(outer, fresh);
  mine.push_back(fresh);
}

void lock_order::given_back(const object& lock) {
  std::vector<held_lock>& mine = held_[state.slot];
  const auto last = std::find_if(mine.rbegin(), mine.rend(), [&](const held_lock& each) { return each.id == lock.id; });
  if (last != mine.rend()) mine.erase(std::next(last).base());
}

void lock_order::add(const held_lock& outer, const held_lock& inner) {
  const knowledge& known = known_[state.slot];
  for (const edge& each : edges_)
    if (each.slot == state.slot && each.outer.id == outer.id && each.inner.id == inner.id && each.outer.shared == outer.shared &&
        each.inner.shared == inner.shared && each.known == known && each.others.size() + 1 == held_[state.slot].size())
      return;
  if (edges_.size() == edges_max || reported_) return;
  edge& added = edges_.emplace_back(edge{outer, inner, state.slot, state.current->id, known, {}});
  for (const held_lock& each : held_[state.slot])
    if (each.id != outer.id) added.others.push_back(each);
  cycle_.assign(1, &added);
  if (!closes_cycle()) return;
  reported_ = true;
  report();
}

// A task that wants a lock waits for who holds it.
bool lock_order::excludes(const held_lock& held, const held_lock& wanted) {
  return held.id == wanted.id && !(held.shared && wanted.shared);
}

bool lock_order::can_overlap(const edge& a, const edge& b) {
  if (a.slot == b.slot) return false;
  if (b.known[a.slot] >= a.known[a.slot] || a.known[b.slot] >= b.known[b.slot]) return false;
  return std::none_of(a.others.begin(), a.others.end(), [&](const held_lock& gate) {
    return std::any_of(b.others.begin(), b.others.end(), [&](const held_lock& other) { return excludes(gate, other); });
  });
}

bool lock_order::closes_cycle() {
  const edge& last = *cycle_.back();
  if (cycle_.size() > 1 && excludes(cycle_.front()->outer, last.inner)) return true;
  for (const edge& next : edges_) {
    if (!excludes(next.outer, last.inner)) continue;
    if (!std::all_of(cycle_.begin(), cycle_.end(), [&](const edge* each) { return can_overlap(*each, next); })) continue;
    cycle_.push_back(&next);
    if (closes_cycle()) return true;
    cycle_.pop_back();
  }
  return false;
}

void lock_order::report() const {
  active->fail(false, [this] {
    // From the lock that was made first, so that one cycle is one finding, whichever edge came last.
    std::vector<const edge*> cycle = cycle_;
    const auto first =
        std::min_element(cycle.begin(), cycle.end(), [](const edge* a, const edge* b) { return a->outer.id < b->outer.id; });
    std::rotate(cycle.begin(), first, cycle.end());
    run_failure failure{"lock_order", describe(cycle.front()->outer.type, cycle.front()->outer.id), "", {}};
    for (const edge* each : cycle) {
      failure.message += (failure.message.empty() ? "a potential deadlock, not met in this run: '" : "; '") +
                         active->name_of_task(each->task) + "' took " + describe(each->inner.type, each->inner.id) +
                         " while it held " + describe(each->outer.type, each->outer.id);
      failure.sites.push_back(to_site(each->outer.where));
      failure.sites.push_back(to_site(each->inner.where));
    }
    return failure;
  });
}

void lock_taken(const object& lock, bool shared) {
  const instrumentation::aside scope;
  state.locks->taken(lock, shared);
}
void lock_given_back(const object& lock) {
  const instrumentation::aside scope;
  state.locks->given_back(lock);
}

}  // namespace kvrace::detail
