#include "scenarios/rollout_input.h"

#include <algorithm>
#include <string>

#include "reports/plain_text.h"

namespace kvrace::scenarios {
namespace {

using nlohmann::json;
using reports::input_error;

cache::configuration configuration_of(const json& value, const char* which, cache::configuration shared) {
  const auto own = value.find(which);
  if (own == value.end()) return shared;
  shared.locking = own->value("locking", shared.locking);
  shared.flaws = own->value("flaws", shared.flaws);
  return shared;
}

std::optional<input_error> check_cache(const char* which, const cache::configuration& configuration) {
  const auto error = cache::validate(configuration);
  if (!error) return std::nullopt;
  return input_error{std::string("/rollout/") + which + "/" + error->field, error->expected};
}

// "/tasks/0/operations/1"
std::string place(std::size_t task, std::size_t at) {
  return reports::pointer_to(reports::pointer_to("/tasks", task) + "/operations", at);
}

bool is_routed(operation::kind what) {
  switch (what) {
    case operation::kind::lookup:
    case operation::kind::serve:
    case operation::kind::invalidate:
    case operation::kind::wait:
    case operation::kind::roll_out:
    case operation::kind::roll_back: return true;
    default: return false;
  }
}

bool steers(operation::kind what) { return what == operation::kind::roll_out || what == operation::kind::roll_back; }

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

}  // namespace

rollout rollout_of(const json& value, const cache::configuration& shared) {
  return {.stable = configuration_of(value, "stable", shared), .candidate = configuration_of(value, "candidate", shared)};
}

std::optional<input_error> check_rollout(const json& document, const scenario& read) {
  if (std::optional<input_error> error = check_tasks(read)) return error;
  if (!read.rollout) return std::nullopt;
  if (!document.contains("tasks")) return input_error{"/rollout", "expected the key 'tasks' beside it"};
  if (std::optional<input_error> error = check_cache("stable", read.rollout->stable)) return error;
  return check_cache("candidate", read.rollout->candidate);
}

}  // namespace kvrace::scenarios
