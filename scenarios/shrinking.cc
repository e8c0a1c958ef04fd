#include "scenarios/shrinking.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

#include <nlohmann/json.hpp>

#include "scenarios/loader.h"
#include "scenarios/operation_json.h"
#include "scenarios/program.h"
#include "scenarios/simpler_prompts.h"
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

// What is left of all limits. A time that is over is no budget of none.
shrink_limits left_of(const shrink_limits& limits, std::uint64_t runs, double time_s) {
  return {limits.runs - std::min(limits.runs, runs), limits.time_s > 0 ? std::max(limits.time_s - time_s, 1e-3) : 0,
          limits.observer};
}

// What a message says, without the names and numbers in it.
std::string wording_of(const std::string& message) {
  std::string wording;
  unsigned inside = 0;
  for (const char each : message) {
    if (each == '(' || each == '[') ++inside;
    if (inside == 0 && !(each >= '0' && each <= '9')) wording += each;
    if ((each == ')' || each == ']') && inside > 0) --inside;
  }
  return wording;
}

class scenario_shrinker {
 public:
  scenario_shrinker(const scenario& whole, const kvrace::finding& from, const shrink_limits& limits)
      : limits_(limits),
        stale_reads_(kvrace::schedule::has_stale_reads(from.schedule.set_up)),
        document_(with_tasks(whole)),
        signature_(from.signature()) {
    best_.reduced = whole;
    best_.schedule.minimal = from;
    best_.schedule.preemptions = kvrace::preemptions_of(from);
  }

  shrunk_scenario run() {
    leave_out_tasks();
    const bool certified = leave_out_operations();
    const bool simpler = simplify();
    wording_.clear();
    best_.operations_certified = simpler ? leave_out_operations() : certified;
    const std::uint64_t spent = spent_;
    const double time_s = time_s_;
    const shrink_limits left = left_of(limits_, spent_, time_s_);
    if (interrupted_) {
      best_.schedule.interrupted = true;
      best_.schedule.certified = best_.schedule.preemptions == 0;
    } else {
      best_.schedule = kvrace::shrink({.runs = left.runs,
                                       .states_max = states_max,
                                       .time_s = left.time_s,
                                       .observer = left.observer,
                                       .limits = limits_of(best_.reduced),
                                       .metrics = cache::metric_names()},
                                      best_.schedule.minimal, make_program(best_.reduced));
    }
    best_.schedule.runs += spent;
    best_.schedule.time_s += time_s;
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
          json candidate = document_;
          json& tasks = candidate["tasks"];
          tasks[task]["operations"].erase(at);
          if (tasks[task]["operations"].empty()) tasks.erase(task);  // a task without operations is no task
          if (tasks.empty()) continue;
          const outcome found = adopt(candidate);
          progress = progress || found == outcome::fails_too;
          certified = certified && found == outcome::passes;
        }
      }
    }
    return certified;
  }

  // True if anything became simpler. It may take a quarter of the runs: certifying comes after it. What the finding says stays:
  // two requests for one prompt may fail in the same way as those for two, and explain less.
  bool simplify() {
    wording_ = wording_of(best_.schedule.minimal.message);
    const std::uint64_t spent_max = spent_ + limits_.runs / 4;
    bool progress = false;
    const std::uint64_t blocks = document_["cache"].value("capacity_blocks", std::uint64_t{1});
    for (std::uint64_t fewer = 1; fewer < blocks && !progress && spent_ < spent_max; ++fewer) {
      json candidate = document_;
      candidate["cache"]["capacity_blocks"] = fewer;
      progress = adopt(candidate) == outcome::fails_too;
    }
    for (const simplification how : simplifications) {
      for (bool simpler = true; simpler && spent_ < spent_max;) {
        simpler = false;
        for (const json& candidate : simpler_prompts(document_, how)) {
          simpler = spent_ < spent_max && adopt(candidate) == outcome::fails_too;
          if (simpler) break;  // the others were made of what it was before
        }
        progress = progress || simpler;
      }
    }
    return progress;
  }

  enum class outcome : std::uint8_t { fails_too, passes, unknown };

  // Takes the candidate over if it fails in the same way with no more preemptions.
  outcome adopt(const json& candidate) {
    if (spent_ >= limits_.runs || !go_on()) return outcome::unknown;
    std::variant<scenario, input_error> parsed = parse_scenario(candidate.dump(2) + "\n", best_.reduced.source.path);
    if (std::holds_alternative<input_error>(parsed)) return outcome::unknown;
    scenario& smaller = std::get<scenario>(parsed);
    const std::uint64_t share = std::min(limits_.runs - spent_, std::max<std::uint64_t>(limits_.runs / shares, 1));
    const kvrace::result found = stale_reads_ ? sample(smaller, share) : search(smaller, share);
    spent_ += found.counts.runs;
    time_s_ += found.time_s;
    interrupted_ = found.interrupted;
    if (found.verdict == kvrace::verdict::proved || found.verdict == kvrace::verdict::exhausted) return outcome::passes;
    if (found.verdict != kvrace::verdict::violation || !is_as_small(found.findings.front())) return outcome::unknown;
    document_ = candidate;
    best_.reduced = std::move(smaller);
    best_.schedule.minimal = found.findings.front();
    best_.schedule.preemptions = kvrace::preemptions_of(best_.schedule.minimal);
    return outcome::fails_too;
  }

  // Most candidates are done with before their own search asks.
  bool go_on() {
    constexpr double between_s = 0.1;
    if (interrupted_ || time_s_ < asked_next_s_) return !interrupted_;
    asked_next_s_ = time_s_ + between_s;
    interrupted_ = limits_.time_s > 0 && time_s_ >= limits_.time_s;
    if (interrupted_ || limits_.observer == nullptr) return !interrupted_;
    kvrace::search_progress progress;
    progress.runs = spent_;
    progress.runs_max = limits_.runs;
    progress.time_s = time_s_;
    progress.time_s_max = limits_.time_s;
    interrupted_ = !limits_.observer->on_progress(progress);
    return !interrupted_;
  }

  [[nodiscard]] kvrace::result search(const scenario& smaller, std::uint64_t runs) const {
    return kvrace::search_for(signature_,
                              {.preemptions_max = best_.schedule.preemptions,
                               .runs = runs,
                               .states_max = states_max,
                               .time_s = left_of(limits_, spent_, time_s_).time_s,
                               .limits = limits_of(smaller),
                               .metrics = cache::metric_names(),
                               .observer = limits_.observer},
                              make_program(smaller));
  }
  // No search knows stale reads, so that nothing is certified either.
  [[nodiscard]] kvrace::result sample(const scenario& smaller, std::uint64_t runs) const {
    kvrace::check_options options = sampling_options(smaller);
    options.runs = runs;
    options.time_s = left_of(limits_, spent_, time_s_).time_s;
    options.observer = limits_.observer;
    options.stop_at_violation = true;
    options.count_distinct = false;
    options.memory_model = kvrace::memory_model::rc11;
    return kvrace::check(options, make_program(smaller));
  }
  [[nodiscard]] bool is_as_small(const kvrace::finding& found) const {
    return found.signature() == signature_ && kvrace::preemptions_of(found) <= best_.schedule.preemptions &&
           (wording_.empty() || wording_of(found.message) == wording_);
  }

  shrink_limits limits_;
  bool stale_reads_;
  std::uint64_t spent_ = 0;
  double time_s_ = 0;
  double asked_next_s_ = 0;
  bool interrupted_ = false;
  json document_;
  std::string signature_;
  std::string wording_;  // empty: any
  shrunk_scenario best_;
};

// The schedule alone: the requests stay as they are.
shrunk_scenario shrink_schedule(const scenario& whole, const kvrace::finding& from, const shrink_limits& limits) {
  // A candidate that passes would go on to the end of the traffic.
  const std::uint64_t steps_max = std::min(whole.steps_max, 2 * from.step + 1'000);
  shrunk_scenario same{whole, {}, false};
  same.schedule = kvrace::shrink({.runs = std::min(limits.runs, std::max<std::uint64_t>(traffic_steps / steps_max, 1)),
                                  .time_s = limits.time_s,
                                  .observer = limits.observer,
                                  .search = false,
                                  .limits = {.steps_max = steps_max},
                                  .metrics = cache::metric_names()},
                                 from, make_program(whole));
  return same;
}

shrunk_scenario shrink_traffic(const scenario& whole, const kvrace::finding& from, const shrink_limits& limits) {
  shrunk_scenario best = shrink_schedule(whole, from, {limits.runs / 4, limits.time_s, limits.observer});
  std::uint64_t spent = best.schedule.runs;
  double time_s = best.schedule.time_s;
  for (const std::string& text : traffic_excerpts(whole, best.schedule.minimal)) {
    std::variant<scenario, input_error> parsed = parse_scenario(text, whole.source.path);
    if (best.schedule.interrupted || spent >= limits.runs || !std::holds_alternative<scenario>(parsed)) continue;
    const scenario& excerpt = std::get<scenario>(parsed);
    if (excerpt.needs_time()) continue;  // searches know no time
    const shrink_limits left = left_of(limits, spent, time_s);
    const kvrace::result found =
        kvrace::search_for(from.signature(),
                           {.preemptions_max = excerpt_preemptions_max,
                            .runs = std::min(left.runs, std::max<std::uint64_t>(limits.runs / shares, 1)),
                            .states_max = excerpt_states_max,
                            .time_s = left.time_s,
                            .limits = limits_of(excerpt),
                            .metrics = cache::metric_names(),
                            .observer = left.observer},
                           make_program(excerpt));
    spent += found.counts.runs;
    time_s += found.time_s;
    best.schedule.interrupted = found.interrupted;
    if (found.verdict != kvrace::verdict::violation) continue;
    shrunk_scenario small = scenario_shrinker(excerpt, found.findings.front(), left_of(limits, spent, time_s)).run();
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

shrunk_scenario shrink(const scenario& whole, const kvrace::finding& from, const shrink_limits& limits) {
  if (whole.traffic) return shrink_traffic(whole, from, limits);
  return whole.needs_time() ? shrink_schedule(whole, from, limits) : scenario_shrinker(whole, from, limits).run();
}

}  // namespace kvrace::scenarios
