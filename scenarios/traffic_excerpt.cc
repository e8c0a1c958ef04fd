#include "scenarios/traffic_excerpt.h"

#include <algorithm>
#include <map>
#include <utility>

#include <nlohmann/json.hpp>

#include "scenarios/operation_json.h"
#include "scenarios/request_log.h"
#include "scenarios/traffic_program.h"

namespace kvrace::scenarios {
namespace {

using json = nlohmann::ordered_json;

constexpr std::size_t requests_max = 5;

// The steps of the ledger, the latest first; before them that of the violation.
std::vector<request_log::moment> moments_of(const kvrace::finding& from) {
  std::vector<request_log::moment> moments;
  for (auto step = from.trace.rbegin(); step != from.trace.rend() && moments.empty(); ++step)
    if (step->step == from.step) moments.push_back({step->task, step->step});
  for (auto event = from.ledger.rbegin(); event != from.ledger.rend(); ++event)
    if (event->subject == from.subject) moments.push_back({event->task, event->step});
  return moments;
}

operation operation_of(const arrival& request) {
  operation call;
  if (request.what == arrival::kind::invalidate) call.what = operation::kind::invalidate;
  if (request.what == arrival::kind::serve) call.what = operation::kind::serve;
  if (request.what != arrival::kind::invalidate) call.prompt = request.prompt;
  call.cancel = request.cancel;
  return call;
}

// In the order in which they began.
std::vector<operation> requests_of(const scenario& whole, const kvrace::finding& from) {
  request_log log(moments_of(from), from.step);
  (void)kvrace::replay({.limits = {.steps_max = whole.steps_max}, .metrics = cache::metric_names()}, from.schedule,
                       make_traffic_program(whole, nullptr, &log));
  std::map<std::uint64_t, arrival> by_beginning;
  for (const std::optional<request_log::request>& each : log.wanted())
    if (each && by_beginning.size() < requests_max) by_beginning.emplace(each->step, each->what);
  if (const std::optional<request_log::request>& last = log.last_invalidation()) by_beginning.emplace(last->step, last->what);
  std::vector<operation> requests;
  for (const auto& [step, request] : by_beginning) requests.push_back(operation_of(request));
  return requests;
}

// Gives out small names in the order of first use.
template <class T>
class renaming {
 public:
  std::size_t operator()(const T& name) { return names_.emplace(name, names_.size()).first->second; }

 private:
  std::map<T, std::size_t> names_;
};

// How the prompts of an excerpt are written: a block is one letter as often as it has tokens; a letter for each prompt or for
// each different block.
struct spelling {
  std::uint32_t tokens_per_block = 1;
  bool whole_prompts = true;
};

using chunk = std::vector<cache::token>;

std::vector<chunk> chunks_of(const chunk& tokens, std::size_t length, bool whole) {
  if (whole) return {tokens};
  std::vector<chunk> chunks;
  for (std::size_t at = 0; at + length <= tokens.size(); at += length)
    chunks.emplace_back(tokens.begin() + static_cast<std::ptrdiff_t>(at),
                        tokens.begin() + static_cast<std::ptrdiff_t>(at + length));
  return chunks;
}

std::vector<operation> respelled(std::vector<operation> requests, std::uint32_t tokens_per_block, const spelling& by) {
  renaming<chunk> letters;
  renaming<std::string> tenants;
  for (operation& each : requests) {
    if (each.what == operation::kind::invalidate) continue;
    const std::vector<chunk> chunks = chunks_of(each.prompt.tokens, tokens_per_block, by.whole_prompts);
    const bool open_end = by.whole_prompts || each.prompt.tokens.size() % tokens_per_block != 0;
    each.prompt.tokens.clear();
    for (const chunk& block : chunks)
      each.prompt.tokens.insert(each.prompt.tokens.end(), by.tokens_per_block, static_cast<cache::token>('A' + letters(block)));
    if (open_end) each.prompt.tokens.push_back('.');  // a prompt's last token is never served from the cache
    if (!each.prompt.owner.tenant.empty())
      each.prompt.owner.tenant = std::string(1, static_cast<char>('a' + tenants(each.prompt.owner.tenant)));
  }
  return requests;
}

json operations_of(const std::vector<operation>& requests, unsigned times) {
  json once = json::array();
  for (const operation& each : requests) {
    json text = to_json(each);
    if (std::find(once.begin(), once.end(), text) == once.end()) once.push_back(std::move(text));
  }
  json operations = json::array();
  for (unsigned time = 0; time < times; ++time) operations.insert(operations.end(), once.begin(), once.end());
  return operations;
}

std::size_t blocks_of(const std::vector<operation>& requests, std::uint32_t tokens_per_block) {
  std::size_t most = 1;
  for (const operation& each : requests) most = std::max(most, each.prompt.tokens.size() / tokens_per_block);
  return most;
}

}  // namespace

std::vector<std::string> traffic_excerpts(const scenario& whole, const kvrace::finding& from) {
  const std::vector<operation> requests = requests_of(whole, from);
  const cache::configuration& cache = whole.cache.configuration;
  std::vector<std::string> excerpts;
  if (requests.empty()) return excerpts;
  json document = json::parse(whole.source.text);
  document.erase("traffic");
  document.erase("sweep");
  if (whole.rollout) {
    json builds = json::object();
    for (const char* const which : {"stable", "candidate"})
      if (document["rollout"].contains(which)) builds[which] = document["rollout"][which];
    document["rollout"] = std::move(builds);
  }
  // One buffer is recycled with every request, and there is no time to scrub it in.
  if (document["cache"].contains("compression")) {
    document["cache"]["compression"]["buffers"] = 1;
    document["cache"]["compression"].erase("scrub_us");
  }
  if (document["cache"].contains("reserved_blocks")) document["cache"]["reserved_blocks"] = 1;
  document["search"] = {{"strategy", "bounded"}, {"preemptions_max", excerpt_preemptions_max}};
  for (const spelling by : {spelling{1, true}, spelling{2, true}, spelling{1, false}, spelling{2, false}}) {
    const std::vector<operation> small = respelled(requests, cache.tokens_per_block, by);
    const std::size_t blocks = blocks_of(small, by.tokens_per_block);
    for (const unsigned times : {1U, 2U}) {
      const json operations = operations_of(small, times);
      document["tasks"] = {{{"name", "a"}, {"operations", operations}}, {{"name", "b"}, {"operations", operations}}};
      for (std::size_t capacity = blocks; capacity <= std::min<std::size_t>(blocks + 2, cache.capacity_blocks); ++capacity) {
        document["cache"]["capacity_blocks"] = capacity;
        document["cache"]["tokens_per_block"] = by.tokens_per_block;
        excerpts.push_back(document.dump(2) + "\n");
      }
    }
  }
  return excerpts;
}

}  // namespace kvrace::scenarios
