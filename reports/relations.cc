#include "reports/relations.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

namespace kvrace::reports {
namespace {

bool among(std::string_view kind, std::initializer_list<std::string_view> kinds) {
  return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

// A compare_exchange that fails tells the value it read, and one that succeeds both.
bool writes(const trace_step& step) {
  return among(step.kind, {"store", "read_modify_write", "write"}) ||
         (step.kind == "compare_exchange" && step.value.find(" -> ") != std::string::npos);
}
bool reads(const trace_step& step) { return among(step.kind, {"load", "read_modify_write", "compare_exchange", "read"}); }
bool takes(const trace_step& step) { return among(step.kind, {"lock", "lock_shared", "reacquire", "acquire"}); }
bool gives_back(const trace_step& step) { return among(step.kind, {"unlock", "unlock_shared", "release"}); }

struct object_past {
  std::vector<std::size_t> writes;
  std::vector<std::size_t> given_back;  // the last one, or those of several readers
};

}  // namespace

std::vector<relation> relations_of(const finding& found) {
  const bool graph = found.schedule.set_up == schedule::setting::graph;
  std::map<std::string_view, object_past> objects;
  std::vector<relation> relations;
  for (std::size_t i = 0; i < found.trace.size(); ++i) {
    const trace_step& step = found.trace[i];
    if (step.object.empty()) continue;
    object_past& past = objects[step.object];
    if (reads(step) && past.writes.size() > step.behind && !(graph && step.value.starts_with("stale "))) {
      const std::size_t source = past.writes[past.writes.size() - 1 - step.behind];
      if (found.trace[source].task != step.task) relations.push_back({relation::kind::reads_from, source, i});
    }
    if (writes(step)) {
      if (!past.writes.empty() && !graph) relations.push_back({relation::kind::modification, past.writes.back(), i});
      past.writes.push_back(i);
    }
    if (takes(step)) {
      for (const std::size_t earlier : past.given_back)
        if (found.trace[earlier].task != step.task) relations.push_back({relation::kind::hand_over, earlier, i});
      if (!step.kind.ends_with("shared")) past.given_back.clear();
    }
    if (gives_back(step)) {
      if (step.kind == "unlock") past.given_back.clear();
      past.given_back.push_back(i);
    }
  }
  return relations;
}

}  // namespace kvrace::reports
