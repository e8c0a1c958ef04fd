#include "scenarios/rollout_input.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "reports/plain_text.h"

namespace kvrace::scenarios {
namespace {

using nlohmann::json;
using reports::input_error;
using std::chrono::nanoseconds;

nanoseconds seconds_of(const json& value) { return nanoseconds(static_cast<std::int64_t>(value.get<double>() * 1e9)); }

cache::configuration configuration_of(const json& value, const char* which, cache::configuration shared) {
  const auto own = value.find(which);
  if (own == value.end()) return shared;
  shared.locking = own->value("locking", shared.locking);
  shared.flaws = own->value("flaws", shared.flaws);
  return shared;
}

monitor::rules rules_of(const json& value) {
  monitor::rules rules;
  const auto take_time = [&](const char* key, nanoseconds& time) {
    if (value.contains(key)) time = seconds_of(value[key]);
  };
  take_time("interval_s", rules.interval);
  take_time("window_s", rules.window);
  take_time("persistence_s", rules.persistence);
  take_time("warm_up_s", rules.warm_up);
  take_time("gap_max_s", rules.gap_max);
  rules.queries_min = value.value("queries_min", rules.queries_min);
  const auto take_share = [&](const char* key, std::optional<std::uint64_t>& ppm) {
    if (!value.contains(key)) return;
    ppm = static_cast<std::uint64_t>(std::llround(value[key].get<double>() * 1e6));
    if (*ppm == 0) ppm.reset();
  };
  take_share("hit_ratio_floor", rules.hit_ratio_floor_ppm);
  take_share("hit_rate_floor", rules.hit_rate_floor_ppm);
  take_share("similarity_floor", rules.similarity_floor_ppm);
  take_share("trigger_ceiling", rules.trigger_ceiling_ppm);
  return rules;
}

rollout::answer answer_of(const json& value) {
  rollout::answer answer{.outcome = value["outcome"].get<std::string>(), .reason = value.value("reason", "")};
  if (value.contains("at_s")) answer.at = seconds_of(value["at_s"]);
  if (value.contains("after_bad_s")) answer.after_bad = seconds_of(value["after_bad_s"]);
  return answer;
}

std::optional<input_error> check_cache(const char* which, const cache::configuration& configuration) {
  const std::string pointer = std::string("/rollout/") + which;
  if (const auto error = cache::validate(configuration)) return input_error{pointer + "/" + error->field, error->expected};
  const auto& flaws = configuration.flaws;
  if (configuration.compression.buffers == 0 && std::find(flaws.begin(), flaws.end(), "short_last_block") != flaws.end())
    return input_error{"/cache", "expected the key 'compression' with flaw short_last_block"};
  return std::nullopt;
}

// "/tasks/0/operations/1"
std::string place(std::size_t task, std::size_t at) {
  return reports::pointer_to(reports::pointer_to("/tasks", task) + "/operations", at);
}

bool steers(operation::kind what) { return what == operation::kind::roll_out || what == operation::kind::roll_back; }

bool is_routed(operation::kind what) {
  return what == operation::kind::lookup || what == operation::kind::serve || what == operation::kind::invalidate ||
         what == operation::kind::wait || steers(what);
}

std::optional<input_error> check_tasks(const scenario& read) {
  std::optional<std::size_t> steering;
  for (std::size_t task = 0; task < read.tasks.size(); ++task)
    for (std::size_t at = 0; at < read.tasks[task].operations.size(); ++at) {
      const operation::kind what = read.tasks[task].operations[at].what;
      if (read.rollout && !is_routed(what))
        return input_error{place(task, at), "expected lookup, serve, invalidate, wait, roll_out or roll_back beside /rollout"};
      if (!steers(what)) continue;
      if (!read.rollout)
        return input_error{place(task, at), "expected the key 'rollout' in the scenario with roll_out and roll_back"};
      if (steering && *steering != task)
        return input_error{place(task, at),
                           "expected roll_out and roll_back in one task, as /tasks/" + std::to_string(*steering) + " has some"};
      steering = task;
    }
  return std::nullopt;
}

// What only traffic can have.
std::optional<input_error> check_without_traffic(const json& value) {
  for (const auto& [name, unused] : value.items())
    if (name != "stable" && name != "candidate" && name != "notes")
      return input_error{reports::pointer_to("/rollout", name), "expected no such key without traffic"};
  return std::nullopt;
}

std::optional<input_error> check_beside_traffic(const json& value, const scenario& read) {
  const rollout& asked = *read.rollout;
  constexpr unsigned workers_max = 63;
  if (read.traffic->workers > workers_max)
    return input_error{"/traffic/workers", "expected at most " + std::to_string(workers_max) +
                                               " beside /rollout, whose controller is a task too, not " +
                                               std::to_string(read.traffic->workers)};
  if (!value.contains("ramp")) return input_error{"/rollout", "expected the key 'ramp' beside traffic"};
  for (std::size_t step = 1; step < asked.ramp.size(); ++step)
    if (asked.ramp[step].candidate_permille <= asked.ramp[step - 1].candidate_permille)
      return input_error{reports::pointer_to("/rollout/ramp", step) + "/percent", "expected more than before"};
  for (std::size_t at = 1; at < asked.begins.size(); ++at)
    if (asked.begins[at] <= asked.begins[at - 1])
      return input_error{reports::pointer_to("/rollout/begins_s", at), "expected a later time than before"};
  for (std::size_t at = 0; at < asked.blind.size(); ++at)
    if (asked.blind[at].to <= asked.blind[at].from)
      return input_error{reports::pointer_to("/rollout/blind", at) + "/to_s", "expected a later time than from_s"};
  if (!asked.answers.empty() && asked.answers.size() != asked.begins.size())
    return input_error{"/rollout/answers", "expected one for each of the " + std::to_string(asked.begins.size()) + " rollouts"};
  return std::nullopt;
}

}  // namespace

rollout rollout_of(const json& value, const cache::configuration& shared) {
  rollout read{.stable = configuration_of(value, "stable", shared), .candidate = configuration_of(value, "candidate", shared)};
  for (const json& step : value.value("ramp", json::array()))
    read.ramp.push_back({.candidate_permille = static_cast<unsigned>(std::lround(step["percent"].get<double>() * 10)),
                         .hold = seconds_of(step["hold_s"])});
  read.rules = rules_of(value.value("rules", json::object()));
  read.canary = value.value("canary", true);
  if (value.contains("begins_s")) {
    read.begins.clear();
    for (const json& time : value["begins_s"]) read.begins.push_back(seconds_of(time));
  }
  for (const json& span : value.value("blind", json::array()))
    read.blind.push_back({.from = seconds_of(span["from_s"]), .to = seconds_of(span["to_s"])});
  for (const json& answer : value.value("answers", json::array())) read.answers.push_back(answer_of(answer));
  return read;
}

std::optional<input_error> check_rollout(const json& document, const scenario& read) {
  if (std::optional<input_error> error = check_tasks(read)) return error;
  if (!read.rollout) return std::nullopt;
  if (document.contains("generate")) return input_error{"/rollout", "expected tasks or traffic beside it, not generate"};
  if (document.contains("sweep")) return input_error{"/rollout", "expected no sweep beside it"};
  if (std::optional<input_error> error = check_cache("stable", read.rollout->stable)) return error;
  if (std::optional<input_error> error = check_cache("candidate", read.rollout->candidate)) return error;
  return read.traffic ? check_beside_traffic(document["rollout"], read) : check_without_traffic(document["rollout"]);
}

}  // namespace kvrace::scenarios
