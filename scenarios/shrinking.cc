#include "scenarios/shrinking.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

#include <nlohmann/json.hpp>

#include "scenarios/loader.h"
#include "scenarios/operation_json.h"
#include "scenarios/program.h"
#include "scenarios/traffic_excerpt.h"

namespace kvrace::scenarios {
namespace {

using json = nlohmann::ordered_json;

// One search may take this share of the budget, so that one hopeless candidate does not eat it up.
constexpr std::uint64_t shares = 10;
constexpr std::uint64_t states_max = 2'000'000;
constexpr std::uint64_t excerpt_states_max = 200'000;  // in each of the excerpts of traffic that are tried
constexpr std::uint64_t traffic_steps = 4'000'000;     // of all candidates for a schedule of traffic together

// The scenario's document with every operation written out.
json with_tasks(const scenario& whole) {
  json document = json::parse(whole.source.text);
  if (document.contains("tasks")) return document;
  document.erase("generate");
  for (const task& each : whole.tasks) {
    json operations = json::array();
    for (const operation& call : each.operations) operations.push_back(to_json(call));
    document["tasks"].push_back({{"name", each.name}, {"operations", std::move(operations)}});
  }
  return document;
}

class scenario_shrinker {
 public:
  scenario_shrinker(const scenario& whole, const kvrace::finding& from, std::uint64_t runs)
      : runs_(runs),
        stale_reads_(kvrace::schedule::has_stale_reads(from.schedule.set_up)),
        document_(with_tasks(whole)),
        signature_(from.signature()) {
    best_.reduced = whole;
    best_.schedule.minimal = from;
    best_.schedule.preemptions = kvrace::preemptions_of(from);
  }

  shrunk_scenario run() {
    leave_out_tasks();
    best_.operations_certified = leave_out_operations();
    const std::uint64_t spent = spent_;
    best_.schedule = kvrace::shrink({.runs = runs_ - std::min(runs_, spent_),
                                     .states_max = states_max,
                                     .limits = limits_of(best_.reduced),
                                     .metrics = cache::metric_names()},
                                    best_.schedule.minimal, make_program(best_.reduced));
    best_.schedule.runs += spent;
    return std::move(best_);
  }

 private:
  void leave_out_tasks() {
    for (std::size_t at = document_["tasks"].size(); at-- > 0 && document_["tasks"].size() > 1;) {
      json candidate = document_;
      candidate["tasks"].erase(at);
      (void)adopt(candidate);
    }
  }

  // True if each single operation was shown to be necessary.
  bool leave_out_operations() {
    bool certified = true;
    for (bool progress = true; progress;) {
      progress = false;
      certified = true;
      for (std::size_t task = 0; task < document_["tasks"].size(); ++task) {
        for (std::size_t at = document_["tasks"][task]["operations"].size(); at-- > 0;) {
          if (document_["tasks"][task]["operations"].size() == 1) continue;  // a task without operations is no task
          json candidate = document_;
          candidate["tasks"][task]["operations"].erase(at);
          const outcome found = adopt(candidate);
          progress = progress || found == outcome::fails_too;
          certified = certified && found == outcome::passes;
        }
      }
    }
    return certified;
  }

  enum class outcome : std::uint8_t { fails_too, passes, unknown };

  // Takes the candidate over if it fails in the same way with no more preemptions.
  outcome adopt(const json& candidate) {
    if (spent_ >= runs_) return outcome::unknown;
    std::variant<scenario, input_error> parsed = parse_scenario(candidate.dump(2) + "\n", best_.reduced.source.path);
    if (std::holds_alternative<input_error>(parsed)) return outcome::unknown;
    scenario& smaller = std::get<scenario>(parsed);
    const std::uint64_t share = std::min(runs_ - spent_, std::max<std::uint64_t>(runs_ / shares, 1));
    const kvrace::result found = stale_reads_ ? sample(smaller, share) : search(smaller, share);
    spent_ += found.counts.runs;
    if (found.verdict == kvrace::verdict::proved || found.verdict == kvrace::verdict::exhausted) return outcome::passes;
    if (found.verdict != kvrace::verdict::violation || !is_as_small(found.findings.front())) return outcome::unknown;
    document_ = candidate;
    best_.reduced = std::move(smaller);
    best_.schedule.minimal = found.findings.front();
    best_.schedule.preemptions = kvrace::preemptions_of(best_.schedule.minimal);
    return outcome::fails_too;
  }

  [[nodiscard]] kvrace::result search(const scenario& smaller, std::uint64_t runs) const {
    return kvrace::search_for(signature_,
                              {.preemptions_max = best_.schedule.preemptions,
                               .runs = runs,
                               .states_max = states_max,
                               .limits = limits_of(smaller),
                               .metrics = cache::metric_names()},
                              make_program(smaller));
  }
  // No search knows stale reads, so that nothing is certified either.
  [[nodiscard]] static kvrace::result sample(const scenario& smaller, std::uint64_t runs) {
    kvrace::check_options options = sampling_options(smaller);
    options.runs = runs;
    options.time_s = 0;
    options.stop_at_violation = true;
    options.count_distinct = false;
    options.memory_model = kvrace::memory_model::rc11;
    return kvrace::check(options, make_program(smaller));
  }
  [[nodiscard]] bool is_as_small(const kvrace::finding& found) const {
    return found.signature() == signature_ && kvrace::preemptions_of(found) <= best_.schedule.preemptions;
  }

  std::uint64_t runs_;
  bool stale_reads_;
  std::uint64_t spent_ = 0;
  json document_;
  std::string signature_;
  shrunk_scenario best_;
};

// The schedule alone: the requests stay as they are.
shrunk_scenario shrink_schedule(const scenario& whole, const kvrace::finding& from, std::uint64_t runs) {
  // A candidate that passes would go on to the end of the traffic.
  const std::uint64_t steps_max = std::min(whole.steps_max, 2 * from.step + 1'000);
  shrunk_scenario same{whole, {}, false};
  same.schedule = kvrace::shrink({.runs = std::min(runs, std::max<std::uint64_t>(traffic_steps / steps_max, 1)),
                                  .search = false,
                                  .limits = {.steps_max = steps_max},
                                  .metrics = cache::metric_names()},
                                 from, make_program(whole));
  return same;
}

shrunk_scenario shrink_traffic(const scenario& whole, const kvrace::finding& from, std::uint64_t runs) {
  shrunk_scenario best = shrink_schedule(whole, from, runs / 4);
  std::uint64_t spent = best.schedule.runs;
  for (const std::string& text : traffic_excerpts(whole, best.schedule.minimal)) {
    std::variant<scenario, input_error> parsed = parse_scenario(text, whole.source.path);
    if (spent >= runs || !std::holds_alternative<scenario>(parsed)) continue;
    const scenario& excerpt = std::get<scenario>(parsed);
    if (excerpt.needs_time()) continue;  // searches know no time
    const kvrace::result found = kvrace::search_for(from.signature(),
                                                    {.preemptions_max = excerpt_preemptions_max,
                                                     .runs = std::min(runs - spent, std::max<std::uint64_t>(runs / shares, 1)),
                                                     .states_max = excerpt_states_max,
                                                     .limits = limits_of(excerpt),
                                                     .metrics = cache::metric_names()},
                                                    make_program(excerpt));
    spent += found.counts.runs;
    if (found.verdict != kvrace::verdict::violation) continue;
    shrunk_scenario small = scenario_shrinker(excerpt, found.findings.front(), runs - std::min(runs, spent)).run();
    small.schedule.runs += spent;
    return small;
  }
  best.schedule.runs = spent;
  return best;
}

}  // namespace

scenario_size size_of(const scenario& scenario) {
  scenario_size size{scenario.tasks.size(), 0};
  for (const task& each : scenario.tasks) size.operations += each.operations.size();
  return size;
}

shrunk_scenario shrink(const scenario& whole, const kvrace::finding& from, std::uint64_t runs) {
  if (whole.traffic) return shrink_traffic(whole, from, runs);
  return whole.needs_time() ? shrink_schedule(whole, from, runs) : scenario_shrinker(whole, from, runs).run();
}

}  // namespace kvrace::scenarios
