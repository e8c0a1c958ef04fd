// The calls of a run on an object of yours, compared with a sequential specification: is the object linearizable?
#pragma once

#include <concepts>
#include <cstdint>
#include <exception>
#include <optional>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

#include <kvrace/detail/recorded_history.h>
#include <kvrace/linearizability.h>
#include <kvrace/run.h>
#include <kvrace/sync.h>

namespace kvrace {

struct history_options {
  // How many attempts to place a call the check may make for each key. Where they do not suffice, the verdict of the whole search
  // is INCOMPLETE.
  std::uint64_t steps_max = linearization_steps_max;
  // Every begin and every return of a call is a visible operation. In samples it makes no difference: calls are ordered by the
  // steps of the run. A proof explores executions up to happens-before equivalence, so that, without this, one call counts as
  // before another only when its last operation happens before the other's first; its claim says so. With it, all orders of
  // begins and returns are explored, and there are many.
  bool visible_calls = false;
  // Calls stand in reports as operations of their own. False: they are parts of one that does.
  bool operations = true;
};

//   kvrace::history<register_spec> history(run);
//   run.spawn("client", [&] {
//     auto call = history.call(register_spec::read{});
//     call.returns(object.read());
//   });
//   run.join_all();
//
// To be declared in the body of a run, before the tasks that use it are spawned. The check is made when it goes out of scope, or
// by check(). It fails with oracle "linearizability", about the key. See linearizability.h for specifications.
template <sequential_spec Spec>
class history {
 public:
  // From construction on, the call is in progress, and a kvrace::operation of its own. Without a returns() it stays pending: its
  // effect may show at any time after, or never.
  template <class Call>
  class open_call {
   public:
    open_call(const open_call&) = delete;
    open_call& operator=(const open_call&) = delete;
    ~open_call() {
      const bookkeeping scope;
      if (!returned_) history_.record_->note_begun();
    }

    // It turns out that there was no such call.
    void withdraw() {
      const bookkeeping scope;
      history_.record_->withdraw(index_);
      returned_ = true;
    }

    // To be called once, by the task that began the call.
    void returns(result_of<Spec, Call> result) {
      if (history_.clock_) history_.clock_->fetch_add(1, std::memory_order_relaxed);
      const bookkeeping scope;
      if (run::recording()) [[unlikely]]
        history_.note(index_, result, operation_ ? &*operation_ : nullptr);
      history_.record_->template returned<Call>(index_, std::move(result));
      returned_ = true;
    }
    void returns()
      requires std::same_as<result_of<Spec, Call>, nothing>
    {
      returns(nothing{});
    }

    // Another call that began when this one did: where one operation of the object is several calls of the specification, and
    // only its return shows which.
    template <class Other>
    [[nodiscard]] open_call<Other> alongside(Other other, std::source_location where = std::source_location::current()) {
      return open_call<Other>(history_, std::move(other), where, index_);
    }

   private:
    template <class>
    friend class open_call;
    friend class history;
    open_call(history& history, Call call, std::source_location where, std::uint32_t index_of_first) : history_(history) {
      const bookkeeping scope;
      index_ = history_.record_->announce_with(index_of_first, std::move(call), where);
    }
    open_call(history& history, Call call, std::source_location where) : history_(history) {
      if (history.options_.operations) operation_.emplace([&] { return detail::in_words(call); });
      index_ = history.announce(std::move(call), where);
      if (history_.clock_) (void)history_.clock_->load(std::memory_order_relaxed);
    }

    history& history_;
    std::optional<operation> operation_;
    std::uint32_t index_ = 0;
    bool returned_ = false;
  };

  explicit history(run& run, const Spec& initial = {}, history_options options = {})
      : run_(run), options_(options), exceptions_(std::uncaught_exceptions()) {
    const bookkeeping scope;
    record_ = &detail::history_store<Spec>::instance().take(initial);
    if (!options.visible_calls) return;
    clock_.emplace(0U);
    sync::name(*clock_, "calls");
  }
  history(const history&) = delete;
  history& operator=(const history&) = delete;
  ~history() {
    if (std::uncaught_exceptions() == exceptions_) (void)check();
  }

  template <class Call>
  [[nodiscard]] open_call<Call> call(Call call, std::source_location where = std::source_location::current()) {
    return open_call<Call>(*this, std::move(call), where);
  }

  // Of the calls so far; those in progress are pending. States a violation once.
  linearizability check() {
    const bookkeeping scope;
    if (run::along_graph()) {  // calls have no order in time there
      detail::state.asks_interleaving = true;
      return linearizability::linearizable;
    }
    if (!options_.visible_calls) detail::state.histories_causal = true;
    auto& checker = detail::history_store<Spec>::instance().checker();
    record_->note_begun();
    fingerprint whole = record_->whole();
    whole += checker.circumstances(record_->initial(), options_.steps_max);
    if (const std::optional<linearizability> known = checker.memo().find(whole); known && *known != linearizability::violated)
        [[likely]] {
      if (*known == linearizability::unknown) detail::state.history_undecided = true;
      return *known;
    }
    std::source_location where;
    const linearizability found = check_anew(checker, whole, &where);
    if (found == linearizability::unknown) detail::state.history_undecided = true;
    if (found == linearizability::violated && !std::exchange(failed_, true))
      run_.fail({.oracle = "linearizability",
                 .subject = checker.explained().subject,
                 .message = checker.explained().message,
                 .ends_run = false},
                where);
    return found;
  }

 private:
  template <class Call>
  std::uint32_t announce(Call call, std::source_location where) {
    const bookkeeping scope;
    return record_->announce(std::move(call), where);
  }

  // What it allocates is gone before a violation ends the run: the stack of such a run is not unwound.
  linearizability check_anew(detail::history_checker<Spec>& checker, const fingerprint& whole, std::source_location* where) {
    std::vector<std::source_location> sites;
    const std::vector<timed_call<Spec>> calls = record_->begun(&sites);
    const linearizability found = checker.check(calls, record_->initial(), options_.steps_max);
    checker.memo().remember(whole, found);
    if (found == linearizability::violated && !failed_) *where = sites[checker.explain(record_->initial(), options_.steps_max)];
    return found;
  }

  // For the report.
  template <class Result>
  void note(std::uint32_t index, const Result& result, operation* call) {
    const std::string text = std::is_same_v<Result, nothing> ? std::string() : detail::in_words(result);
    if (call != nullptr) call->returns([&] { return text; });
    std::visit(
        [&](const auto& entry) {
          if constexpr (detail::partitioned<Spec>)
            run::note("key " + detail::in_words(Spec::partition(entry.call)), detail::in_words(entry.call), text);
        },
        record_->at(index).entry);
  }

  run& run_;
  history_options options_;
  detail::recorded_history<Spec>* record_ = nullptr;
  std::optional<atomic<unsigned>> clock_;  // of visible calls
  int exceptions_;  // in flight when it was made
  bool failed_ = false;
};

}  // namespace kvrace
