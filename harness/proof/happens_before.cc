#include "proof/happens_before.h"

#include <bit>
#include <utility>

#include <kvrace/sync.h>

namespace kvrace::detail {

namespace {

std::uint64_t event_of(unsigned slot, std::uint64_t index) { return (std::uint64_t{slot} + 1) << 48U | (index + 1); }

bool is_free(const object& lock, bool shared) {
  if (lock.type == object_type::semaphore) return static_cast<const gate&>(lock).value > 0;
  if (lock.type == object_type::mutex) return static_cast<const lock_state&>(lock).owner == slot_none;
  const auto& both = static_cast<const shared_lock_state&>(lock);
  return both.owner == slot_none && (shared || both.readers == 0);
}

}  // namespace

void happens_before::begin_run(const execution_view& view) {
  view_ = &view;
  key_ = {};
  known_ = 0;
  objects_used_ = 0;
  ++run_;
}

void happens_before::absorb_new_tasks() {
  for (; known_ < view_->slots(); ++known_) {
    const task_record& task = view_->task(known_);
    // A task's identity is its place in the history of the task that spawned it. It contributes to the key from its first event
    // on, so that the key after a step is known before it is taken, whatever the step spawns.
    const state_key parent = known_ == 0 ? state_key{} : tasks_[task.parent].hash;
    tasks_[known_] = {mix(mix(parent, task.parent), known_), 0};
  }
}

state_key happens_before::contribution(unsigned slot, const task_events& task) {
  return task.count == 0 ? state_key{} : mix(task.hash, slot + 0x5851f42d4c957f2d);
}

void happens_before::replace(unsigned slot, const state_key& hash, std::uint64_t count) {
  task_events& task = tasks_[slot];
  const state_key before = contribution(slot, task);
  task = {hash, count};
  const state_key after = contribution(slot, task);
  key_ = {key_.low - before.low + after.low, key_.high - before.high + after.high};
}

happens_before::object_events happens_before::lookup(std::uint32_t id) const {
  const std::size_t mask = objects_.size() - 1;
  for (std::size_t at = (id * 0x9e3779b1U) >> 12U & mask; objects_[at].run == run_; at = (at + 1) & mask)
    if (objects_[at].id == id) return objects_[at];
  return {};
}

happens_before::object_events& happens_before::entry(std::uint32_t id) {
  if ((objects_used_ + 1) * 2 > objects_.size()) {
    std::vector<object_events> former(objects_.size() * 2);
    std::swap(former, objects_);
    objects_used_ = 0;
    for (const object_events& each : former)
      if (each.run == run_) entry(each.id) = each;
  }
  const std::size_t mask = objects_.size() - 1;
  std::size_t at = (id * 0x9e3779b1U) >> 12U & mask;
  for (; objects_[at].run == run_; at = (at + 1) & mask)
    if (objects_[at].id == id) return objects_[at];
  ++objects_used_;
  objects_[at] = {id, run_, 0, 0};
  return objects_[at];
}

state_key happens_before::hash_after(unsigned slot, effect* what) const {
  const task_record& task = view_->task(slot);
  const object* target = task.pending_object;
  operation_kind kind = task.pending_kind;
  bool fails = false;
  *what = effect::writes;
  switch (kind) {
    case operation_kind::load:
    case operation_kind::await: *what = effect::reads; break;
    case operation_kind::compare_exchange: fails = !task.succeeds(task); break;
    case operation_kind::try_acquire:
    case operation_kind::try_lock: fails = !is_free(*target, false); break;
    case operation_kind::try_lock_shared:
      fails = !is_free(*target, true);
      if (!fails) *what = effect::shares;
      break;
    case operation_kind::lock_shared:
    case operation_kind::unlock_shared: *what = effect::shares; break;
    default:
      if (target == nullptr) *what = effect::none;
      break;
  }
  if (fails) *what = effect::reads;
  state_key hash = mix(tasks_[slot].hash, static_cast<std::uint64_t>(kind) << 1U | (fails ? 1U : 0U));
  if (target == nullptr) return hash;
  const object_events before = lookup(target->id);
  hash = mix(hash, target->id);
  hash = mix(hash, before.last_write);
  if (before.readers != 0 && *what != effect::shares) hash = mix(hash, before.readers);
  if (kind == operation_kind::wait) hash = mix(hash, lookup(task.reacquires->id).last_write);
  return hash;
}

std::uint64_t happens_before::outcomes(unsigned slot) const {
  const task_record& task = view_->task(slot);
  if (task.pending_kind == operation_kind::choice) return task.choice_outcomes < 1 ? 1 : task.choice_outcomes;
  if (task.pending_kind == operation_kind::notify_one) {
    const bool of_atomic = task.pending_object->type == object_type::atomic;
    const int waiters = std::popcount(of_atomic ? view_->awaiting(*task.pending_object)
                                                : static_cast<const wait_queue*>(task.pending_object)->waiting);
    return waiters < 1 ? 1 : static_cast<std::uint64_t>(waiters);
  }
  return 1;
}

state_key happens_before::successor(unsigned slot, std::uint64_t outcome) const {
  effect what{};
  task_events after{hash_after(slot, &what), tasks_[slot].count + 1};
  if (outcomes(slot) > 1) after.hash = mix(after.hash, outcome);
  const state_key before = contribution(slot, tasks_[slot]);
  const state_key now = contribution(slot, after);
  return {key_.low - before.low + now.low, key_.high - before.high + now.high};
}

void happens_before::execute(unsigned slot) {
  effect what{};
  const state_key hash = hash_after(slot, &what);
  const task_record& task = view_->task(slot);
  const std::uint64_t event = event_of(slot, tasks_[slot].count);
  if (task.pending_object != nullptr && what != effect::reads) {
    object_events& target = entry(task.pending_object->id);
    if (what == effect::shares) {
      target.readers += mix({event, 0}, 0x2545f4914f6cdd1d).low;
    } else {
      target.last_write = event;
      target.readers = 0;
    }
  }
  if (task.pending_kind == operation_kind::wait) entry(task.reacquires->id).last_write = event;
  replace(slot, hash, tasks_[slot].count + 1);
}

void happens_before::outcome(unsigned slot, std::uint64_t outcome) {
  replace(slot, mix(tasks_[slot].hash, outcome), tasks_[slot].count);
}

}  // namespace kvrace::detail
