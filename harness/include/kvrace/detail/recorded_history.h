// The calls of one run on one object, kept where a run that is cut short cannot lose them, and used again by the next run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include <kvrace/detail/call_phases.h>
#include <kvrace/detail/history_check.h>

namespace kvrace::detail {

template <class Spec>
class recorded_history {
 public:
  using call = timed_call<Spec>;
  static constexpr std::uint32_t not_begun = call::pending;

  void reset(const Spec& initial) {
    initial_ = initial;
    calls_.clear();
    sites_.clear();
    phases_.reset();
    sum_ = {};
    open_ = 0;
  }

  template <class Call>
  std::uint32_t announce(Call&& announced, site where) {
    const auto index = static_cast<std::uint32_t>(calls_.size());
    calls_.push_back({call_entry<Spec, std::remove_cvref_t<Call>>{std::forward<Call>(announced)}, not_begun, call::pending});
    sites_.push_back(where);
    phases_.announce(index);
    ++open_;
    return index;
  }
  // A call that began with an earlier one of the current task.
  template <class Call>
  std::uint32_t announce_with(std::uint32_t first, Call&& announced, site where) {
    note_begun();
    const auto index = static_cast<std::uint32_t>(calls_.size());
    calls_.push_back(
        {call_entry<Spec, std::remove_cvref_t<Call>>{std::forward<Call>(announced)}, calls_[first].called, call::pending});
    sites_.push_back(where);
    ++open_;
    return index;
  }
  template <class Call, class Result>
  void returned(std::uint32_t index, Result&& result) {
    note_begun();
    call& returning = calls_[index];
    std::get<call_entry<Spec, Call>>(returning.entry).returned.emplace(std::forward<Result>(result));
    returning.returned = phases_.returns();
    sum_ += timed(fingerprint_of(returning), returning.called, returning.returned);
    --open_;
  }
  void withdraw(std::uint32_t index) {
    note_begun();
    calls_[index].called = not_begun;
    --open_;
  }
  void note_begun() {
    phases_.note_begun([this](std::uint32_t index, std::uint32_t phase) { calls_[index].called = phase; });
  }

  // Of everything so far.
  [[nodiscard]] fingerprint whole() const {
    fingerprint all = sum_;
    if (open_ != 0)
      for (const call& each : calls_)
        if (each.returned == call::pending && each.called != not_begun)
          all += timed(fingerprint_of(each), each.called, each.returned);
    return all;
  }
  // Without the calls that have not begun, or have been withdrawn: nobody has seen anything of them.
  [[nodiscard]] std::vector<call> begun(std::vector<site>* sites) const {
    std::vector<call> made;
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      if (calls_[i].called == not_begun) continue;
      made.push_back(calls_[i]);
      sites->push_back(sites_[i]);
    }
    return made;
  }
  [[nodiscard]] const call& at(std::uint32_t index) const { return calls_[index]; }
  [[nodiscard]] const Spec& initial() const { return initial_; }

 private:
  Spec initial_;
  std::vector<call> calls_;
  std::vector<site> sites_;
  call_phases phases_;
  fingerprint sum_;         // of the calls that have returned
  std::size_t open_ = 0;    // calls that have not
};

// What all histories of a specification share: one search runs at a time.
template <class Spec>
class history_store {
 public:
  static history_store& instance() {
    static history_store the_only;
    return the_only;
  }
  recorded_history<Spec>& take(const Spec& initial) {
    if (run_ != state.generation) used_ = 0;
    run_ = state.generation;
    if (used_ == histories_.size()) histories_.push_back(std::make_unique<recorded_history<Spec>>());
    recorded_history<Spec>& taken = *histories_[used_++];
    taken.reset(initial);
    return taken;
  }
  history_checker<Spec>& checker() { return checker_; }

 private:
  history_checker<Spec> checker_;
  std::vector<std::unique_ptr<recorded_history<Spec>>> histories_;
  std::size_t used_ = 0;
  std::uint32_t run_ = generation_none;
};

}  // namespace kvrace::detail
