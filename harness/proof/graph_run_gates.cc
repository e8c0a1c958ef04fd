// Waiting for a value, in an execution graph: gates (what semaphores, latches and the like are made of) and atomics.
//
// A task that waits adds its read with whatever it may read from, and stops there if that does not let it go on. A later write
// revisits the read like any other. A waiting read that could have read a later value is no deadlock: the execution in which it
// does is explored as well.
#include <algorithm>
#include <exception>

#include <kvrace/sync.h>

#include "proof/graph_run.h"

namespace kvrace::detail {

void graph_run::wait_for_value(lane_state& me, unsigned lane, unsigned location) {
  if (me.done < explorer_->graph().length(lane)) diverged("a value that it had not waited for");
  me.what = doing::awaits_value;
  me.location = static_cast<std::uint16_t>(location);
  open_ &= ~(1U << lane);
  run_next(pick());
  std::terminate();  // nobody resumes it
}

// Whether the task of `lane`, which waits for a value, would go on or look again. One that waits for an atomic does so when a
// notification comes that happens after a later value was written (C++20, [atomics.wait]); others need nobody to wake them.
bool graph_run::may_go_on(unsigned lane) {
  const execution_graph& g = explorer_->graph();
  const event& wait = g[g.at(lane, lanes_[lane].done - 1U)];
  const location_events& on = g.on(wait.location);
  const auto later = on.writes.begin() + static_cast<std::ptrdiff_t>(g.position(wait.source));
  if (wait.operation != graph_operation::await_change) return later != on.writes.end();
  for (unsigned at = 0; at < g.size(); ++at) {
    const event& e = g[at];
    if (e.operation != graph_operation::notify_change || e.value != wait.location) continue;
    if (std::any_of(later, on.writes.end(), [&](place write) { return knows(e.happens_before, g[write]); })) return true;
  }
  return false;
}

// What is new begins the exploration anew, unless nothing was explored before, so that processes that share it agree on a refusal.
void graph_run::learn_waiters(unsigned location, value_waiters seen) {
  value_waiters& known = value_waiters_[location];
  if ((seen.tasks & ~known.tasks) == 0 && (known.notified_one || !seen.notified_one)) return;
  begin_lesson();
  known.tasks |= seen.tasks;
  known.notified_one |= seen.notified_one;
  if (known.notified_one && std::popcount(known.tasks) > 1) refuse("notify_one of an atomic that several tasks wait for");
  if (!first_) leave(ending::restart);
}

void graph_run::await(unsigned location) { learn_waiters(location, {bit(state.slot), false}); }

void graph_run::notify(unsigned location, bool all) {
  learn_waiters(location, {0, !all});
  const unsigned lane = acting();
  lane_state& me = lanes_[lane];
  event* found = nullptr;
  if (along(me, lane, event_kind::fence, &found)) {
    if (found->operation != graph_operation::notify_change || found->value != location) diverged("another operation");
    ++me.done;
  } else {
    add_other(me, lane, {event_kind::fence, graph_operation::notify_change, relaxed}, location);
  }
  learn(lane, false);
}

}  // namespace kvrace::detail
