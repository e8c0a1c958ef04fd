// The front doors: check(), prove(), replay().
#include <kvrace/check.h>
#include <kvrace/shrink.h>

#include <sys/mman.h>

#include <atomic>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include "proof/bounded_proof.h"
#include "proof/graph_search.h"
#include "runtime/claim.h"
#include "runtime/search.h"
#include "runtime/stack_overflow.h"
#include "runtime/stopwatch.h"

namespace kvrace {

namespace detail {

run run_access::make() { return {}; }

void messages_exhausted() {
  active->fail_and_end([] {
    return run_failure{"step_bound", "", "the run used more synchronisation objects than the harness has room for", {}};
  });
}

namespace {

// One search at a time: primitives find the execution through a global.
class session {
 public:
  session() {
    if (busy().exchange(true))
      throw std::logic_error("kvrace: check(), prove() and replay() do not nest, and run on one thread at a time");
    if (state.messages == nullptr) reserve_messages();
    stacks_.emplace();
  }
  session(const session&) = delete;
  session& operator=(const session&) = delete;
  ~session() { busy() = false; }

 private:
  static std::atomic<bool>& busy() {
    static std::atomic<bool> flag{false};
    return flag;
  }
  std::optional<stack_watch> stacks_;
  // Address space only: pages are backed as clocks come into use.
  static void reserve_messages() {
    void* memory = ::mmap(nullptr, sizeof(message_clock) * messages_max, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    state.messages = static_cast<message_clock*>(memory);
  }
};

}  // namespace

}  // namespace detail

namespace {

schedule::setting setting_of(const check_options& options) {
  if (options.memory_model == memory_model::sc)
    return options.timeouts_any_time ? schedule::setting::timeouts_any_time : schedule::setting::sampled;
  return options.timeouts_any_time ? schedule::setting::rc11_timeouts : schedule::setting::rc11;
}

}  // namespace

result check(const check_options& options, const program& tested) {
  if (options.runs == 0 && options.time_s <= 0 && options.observer == nullptr)
    throw std::invalid_argument("kvrace: check() would never end: give it a number of runs, a time, or an observer that ends it");
  if (options.strategy == nullptr) throw std::invalid_argument("kvrace: check() needs a strategy");
  if (options.memory_model == memory_model::rc11_genmc)
    throw std::invalid_argument("kvrace: samples know the memory models sc and rc11");
  const detail::session session;
  detail::search search(options.limits, options.metrics, options.observer);
  const std::unique_ptr<strategy> strategy = options.strategy->make(options.seed);
  const std::uint64_t runs = options.runs;
  detail::search::budget limit{runs, options.time_s, options.stop_at_violation, options.count_distinct, setting_of(options)};
  const bool shared = options.jobs > 1 && (runs == 0 || runs > detail::runs_before_workers);
  if (shared) limit.runs = detail::runs_before_workers;
  search.loop(*strategy, tested, limit, nullptr);
  limit.runs = runs;
  if (shared && search.may_go_on(limit)) search.loop_in_workers(*strategy, tested, limit, options.jobs);

  if (search.found().counts.runs > 1) search.repeat_first(tested);
  result& found = search.found();
  search.finish_metrics();
  found.strategy = strategy->describe();
  found.memory_model = options.memory_model;
  found.seed = options.seed;
  if (found.verdict == verdict::not_found &&
      (found.counts.runs < runs || search.cut() || found.counts.undecided != 0 || detail::tested_nothing(found.counts)))
    found.verdict = verdict::incomplete;
  auto bound = strategy->bound();
  if (bound) bound->runs_outside += search.runs_outside();
  if (bound && bound->runs_outside < found.counts.runs) found.pct_bound = bound->probability;
  found.claim = detail::claim_of(found, options.limits, bound);
  return std::move(found);
}

result prove(const prove_options& options, const program& tested) { return search_for("", options, tested); }

result search_for(const std::string& signature, const prove_options& options, const program& tested) {
  const bool graphs = detail::by_graphs(options);
  const detail::session session;
  if (graphs) {
    detail::search recording(options.limits, options.metrics, nullptr);
    return detail::prove_by_graphs(options, tested, detail::the_execution(),
                                   [&](const schedule& schedule, std::uint64_t run, bool* reproduced) {
                                     return recording.record(schedule, tested, run, reproduced);
                                   });
  }
  return detail::prove_by_interleavings(signature, options, tested);
}

result replay(const replay_options& options, const schedule& schedule, const program& tested) {
  if (schedule.set_up == kvrace::schedule::setting::graph)
    throw std::invalid_argument(
        "kvrace: this finding was made along an execution graph that no schedule repeats: prove the program by graphs again");
  const detail::session session;
  detail::search search(options.limits, options.metrics, nullptr);
  bool reproduced = false;
  const double started_s = detail::monotonic_time_s();
  finding recorded = search.record(schedule, tested, 0, &reproduced);
  result& found = search.found();
  found.strategy = "replay";
  if (kvrace::schedule::has_stale_reads(schedule.set_up)) found.memory_model = memory_model::rc11;
  found.time_s = detail::monotonic_time_s() - started_s;
  search.tally(detail::the_execution());
  if (reproduced) {
    found.verdict = verdict::violation;
    found.counts.violations = 1;
  } else if (!recorded.oracle.empty()) {
    found.verdict = verdict::unsound;
  } else if (found.counts.undecided != 0) {
    found.verdict = verdict::incomplete;
  }
  if (recorded.oracle.empty())
    found.trace = std::move(recorded.trace);
  else
    found.findings.push_back(std::move(recorded));
  found.claim = detail::claim_of_replay(found);
  return std::move(found);
}

}  // namespace kvrace
