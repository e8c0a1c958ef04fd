// How far proofs by execution graphs go: whole workloads of every locking strategy, and the flawed twin of each refuted.
#include <catch2/catch.hpp>

#include <string>
#include <vector>

#include <kvrace/cache/simulation.h>
#include <kvrace/check.h>

#include "cache_model/test_support.h"

namespace kvrace::cache {
namespace {

using test::prompt_of;

struct call {
  enum class kind : std::uint8_t { serve, lookup } what;
  const char* tokens;
};
constexpr call serve(const char* tokens) { return {call::kind::serve, tokens}; }
constexpr call lookup(const char* tokens) { return {call::kind::lookup, tokens}; }
using workload = std::vector<std::vector<call>>;

result prove_workload(memory_model model, const std::string& locking, const workload& tasks, std::vector<std::string> flaws) {
  simulation_options options;
  options.configuration = {
      .locking = locking, .capacity_blocks = 2, .tokens_per_block = 2, .hash_bits = 64, .lease = {}, .flaws = std::move(flaws)};
  std::vector<std::vector<prompt>> prompts;
  for (const auto& task : tasks) {
    prompts.emplace_back();
    for (const call& each : task) prompts.back().push_back(prompt_of(each.tokens));
  }
  return prove({.memory_model = model, .engine = proof_engine::graphs, .metrics = metric_names()}, [&](run& run) {
    const auto simulation = make_simulation(run, options);
    for (std::size_t task = 0; task < tasks.size(); ++task)
      run.spawn("client", [&, task, cache = simulation.get()] {
        for (std::size_t i = 0; i < tasks[task].size(); ++i) {
          if (tasks[task][i].what == call::kind::serve)
            cache->serve(prompts[task][i]);
          else
            cache->lookup(prompts[task][i]);
        }
      });
    run.join_all();
    simulation->finish();
  });
}

const workload two_by_four = {{serve("AA."), lookup("AA."), serve("BB."), lookup("CC.")},
                              {serve("CC."), lookup("AA."), serve("AA."), lookup("BB.")}};
const workload three_by_two = {{serve("AA."), lookup("AA.")}, {serve("BB."), lookup("AA.")}, {lookup("AA."), lookup("BB.")}};
const workload three_that_evict = {{serve("AA."), lookup("AA.")}, {serve("BB."), lookup("AA.")}, {serve("CC."), lookup("BB.")}};
const workload two_by_three = {{serve("AA."), lookup("AA."), lookup("BB.")}, {serve("BB."), serve("CC."), lookup("AA.")}};
const workload two_by_two_and_one = {{serve("AA."), lookup("AA.")}, {serve("BB."), serve("CC.")}, {lookup("AA.")}};

void proved_and_refuted(const std::string& locking, const workload& tasks, const std::string& flaw) {
  for (const memory_model model : {memory_model::sc, memory_model::rc11}) {
    INFO(locking << ", " << to_string(model));
    const result proved = prove_workload(model, locking, tasks, {});
    INFO(proved);
    CHECK(proved.verdict == verdict::proved);
    if (model == memory_model::sc) CHECK(proved.counts.graphs_unjudged == 0);
    const result refuted = prove_workload(model, locking, tasks, {flaw});
    INFO(refuted);
    CHECK(refuted.verdict == verdict::violation);
  }
}

TEST_CASE("Two tasks of four operations under locks are proved, and refuted where a hit is not pinned") {
  proved_and_refuted("mutex", two_by_four, "hit_not_pinned");
  proved_and_refuted("rwlock", two_by_four, "hit_not_pinned");
}

TEST_CASE("Two tasks of three operations without locks are proved, and refuted where reclamation is early") {
  proved_and_refuted("epoch", two_by_three, "epoch_reclaimed_early");
}

TEST_CASE("Three tasks are proved, and refuted with a flaw, under every locking strategy", "[exhaustive]") {
  proved_and_refuted("mutex", three_that_evict, "hit_not_pinned");
  proved_and_refuted("rwlock", three_by_two, "metadata_unlocked");
  proved_and_refuted("epoch", two_by_two_and_one, "epoch_reclaimed_early");
}

}  // namespace
}  // namespace kvrace::cache
