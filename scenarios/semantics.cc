#include "scenarios/semantics.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "reports/plain_text.h"
#include "scenarios/generator.h"
#include "scenarios/loader.h"
#include "scenarios/rollout_input.h"
#include "scenarios/sweep_input.h"

namespace kvrace::scenarios {
namespace {

using nlohmann::json;

constexpr std::uint64_t windows_max = 10'000;       // each is a line of the report
constexpr std::uint64_t requests_max = 1'000'000'000;  // in one run

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

input_error unknown_name(const std::string& pointer, const char* thing, const std::string& given,
                         const std::vector<std::string>& names) {
  return {pointer, std::string("expected ") + thing + ", one of " + reports::listed(names) + ", not '" +
                       reports::excerpt(given, 60) + "'" + reports::suggestion(given, names)};
}

std::optional<input_error> check_cache(const cache::configuration& configuration) {
  std::vector<std::string> locking;
  for (const cache::locking_description& each : cache::locking_strategies()) locking.emplace_back(each.name);
  if (!contains(locking, configuration.locking))
    return unknown_name("/cache/locking", "a locking strategy", configuration.locking, locking);
  std::vector<std::string> flaws;
  for (const cache::flaw_description& each : cache::flaws()) flaws.emplace_back(each.name);
  for (std::size_t index = 0; index < configuration.flaws.size(); ++index) {
    if (!contains(flaws, configuration.flaws[index]))
      return unknown_name(reports::pointer_to("/cache/flaws", index), "a flaw", configuration.flaws[index], flaws);
  }
  if (std::optional<cache::configuration_error> error = cache::validate(configuration))
    return input_error{"/cache/" + error->field, error->expected};
  if (contains(configuration.flaws, "short_last_block") && configuration.compression.buffers == 0)
    return input_error{"/cache", "expected the key 'compression' with flaw short_last_block"};
  return std::nullopt;
}

std::optional<input_error> check_tasks(const json& tasks) {
  std::map<std::string, std::size_t> seen;
  for (std::size_t index = 0; index < tasks.size(); ++index) {
    const std::string& name = tasks[index]["name"].get_ref<const std::string&>();
    const auto [first, added] = seen.emplace(name, index);
    const std::string pointer = reports::pointer_to(reports::pointer_to("/tasks", index), "name");
    if (name == "body") return input_error{pointer, "expected another name: reports call what starts the tasks 'body'"};
    if (!added) {
      return input_error{pointer, "expected a name of its own, not that of /tasks/" + std::to_string(first->second)};
    }
  }
  return std::nullopt;
}

// Evictions are followed only where there is a feed of them.
std::optional<input_error> check_operations(const scenario& read) {
  if (read.cache.configuration.eviction_feed != 0) return std::nullopt;
  for (std::size_t task = 0; task < read.tasks.size(); ++task) {
    const std::vector<operation>& operations = read.tasks[task].operations;
    for (std::size_t index = 0; index < operations.size(); ++index) {
      if (operations[index].what != operation::kind::follow_evictions) continue;
      const std::string pointer = reports::pointer_to(reports::pointer_to("/tasks", task), "operations");
      return input_error{reports::pointer_to(pointer, index), "expected the key 'eviction_feed' in /cache with follow_evictions"};
    }
  }
  return std::nullopt;
}

// What generated tasks and traffic have in common.
template <class Drawn>
std::optional<input_error> check_prompts(const std::string& pointer, const json& value, const Drawn& read) {
  if (value.contains("keys") && value["keys"].contains("exponent") && !read.zipf_exponent)
    return input_error{pointer + "/keys/exponent", "expected no such key with distribution uniform"};
  if (read.mix.lookup + read.mix.serve + read.mix.invalidate == 0)
    return input_error{pointer + "/mix", "expected a weight above 0"};
  if (leaves_of(read.tree_depth, read.tree_fanout) > leaves_max)
    return input_error{pointer + "/prefix_tree",
                       "expected fanout to the power of depth to be at most " + std::to_string(leaves_max)};
  return std::nullopt;
}

std::optional<input_error> check_once(const std::string& pointer, const std::vector<std::string>& names) {
  for (std::size_t index = 0; index < names.size(); ++index) {
    const auto here = names.begin() + static_cast<std::ptrdiff_t>(index);
    if (std::find(names.begin(), here, names[index]) != here)
      return input_error{reports::pointer_to(pointer, index), "expected '" + reports::excerpt(names[index], 60) + "' once"};
  }
  return std::nullopt;
}

// A trace has its own arrivals, lengths, and with blocks its own prompts.
std::optional<input_error> check_trace(const json& value, const recorded_trace& trace, std::uint32_t tokens_per_block) {
  const auto no_such_key = [&](const json& in, const std::string& pointer, const char* key) -> std::optional<input_error> {
    if (!in.contains(key)) return std::nullopt;
    return input_error{pointer + "/" + key, "expected no such key with a trace, which has its own"};
  };
  for (const char* const key : {"arrivals", "bursts"})
    if (const auto error = no_such_key(value, "/traffic", key)) return error;
  if (value.contains("service"))
    for (const char* const key : {"output_tokens", "output_distribution"})
      if (const auto error = no_such_key(value["service"], "/traffic/service", key)) return error;
  if (trace.has_blocks())
    for (const char* const key : {"keys", "prefix_tree"})
      if (const auto error = no_such_key(value, "/traffic", key)) return error;
  if (value.contains("qps") && value["trace"].contains("speed"))
    return input_error{"/traffic/trace/speed", "expected no such key with qps, to which the times of the trace are scaled"};
  if (value.contains("qps") && !trace.rate())
    return input_error{"/traffic/qps", "expected no such key with a trace whose requests are all at one time, and no jitter_ms"};
  if (tokens_per_block < 2 || tokens_per_block > trace.tokens_per_block())
    return input_error{"/cache/tokens_per_block", "expected 2 to " + std::to_string(trace.tokens_per_block()) +
                                                      " with a trace, tokens that stand for all of a block of it, not " +
                                                      std::to_string(tokens_per_block)};
  return std::nullopt;
}

std::optional<input_error> check_traffic(const json& document, const scenario& read) {
  const traffic& traffic = *read.traffic;
  if (traffic.trace) {
    const std::uint32_t tokens_per_block = read.cache.configuration.tokens_per_block;
    if (std::optional<input_error> error = check_trace(document["traffic"], *traffic.trace, tokens_per_block)) return error;
  }
  if (std::optional<input_error> error = check_prompts("/traffic", document["traffic"], traffic)) return error;
  if (traffic.burst.factor > 0 && traffic.burst.length >= traffic.burst.period)
    return input_error{"/traffic/bursts/length_s", "expected less than period_s"};
  if (!read.search.sampling())
    return input_error{"/search/strategy",
                       "expected a strategy that samples, as there is no time in proofs and /traffic needs it, not '" +
                           reports::excerpt(document["search"]["strategy"].get<std::string>(), 60) + "'"};
  if (traffic.windows_expected() > windows_max)
    return input_error{"/traffic/window_s", "expected at most " + std::to_string(windows_max) + " windows, not " +
                                                std::to_string(traffic.windows_expected())};
  if (traffic.requests_expected() > requests_max)
    return input_error{"/traffic/duration_s", "expected at most " + std::to_string(requests_max) + " requests, not " +
                                                  std::to_string(traffic.requests_expected())};
  if (traffic.duration && traffic.duration->count() == 0)
    return input_error{"/traffic/duration_s", "expected at least a nanosecond"};
  if (const auto cancellation = document["traffic"].find("cancellation"); cancellation != document["traffic"].end())
    return check_once("/traffic/cancellation/points", cancellation->value("points", std::vector<std::string>{}));
  return std::nullopt;
}

std::optional<input_error> check_generator(const json& value, const generator& read, std::uint32_t tokens_per_block) {
  if (std::optional<input_error> error = check_prompts("/generate", value, read)) return error;
  const std::uint64_t prompts = std::uint64_t{read.tasks} * read.operations;
  const std::uint64_t tokens = prompts * (std::uint64_t{read.tree_depth} * tokens_per_block + 1);
  if (tokens > generated_tokens_max) {
    return input_error{"/generate", "expected at most " + std::to_string(generated_tokens_max) +
                                        " tokens in all (tasks x operations x tokens in a prompt), not " +
                                        std::to_string(tokens)};
  }
  return std::nullopt;
}

std::optional<input_error> check_oracles(const json& document) {
  if (!document.contains("oracles")) return std::nullopt;
  std::vector<std::string> names;
  for (const oracle_name& oracle : all_oracles())
    if (oracle.of_the_cache) names.push_back(oracle.name);
  const auto given = document["oracles"].get<std::vector<std::string>>();
  for (std::size_t index = 0; index < given.size(); ++index) {
    if (!contains(names, given[index]))
      return unknown_name(reports::pointer_to("/oracles", index), "an oracle of the cache", given[index], names);
    if (given[index] == "linearizability" && document.contains("traffic"))
      return input_error{reports::pointer_to("/oracles", index),
                         "expected no linearizability with traffic: it keeps every call of a run"};
    if (given[index] == "linearizability" && document["cache"].contains("reserved_blocks"))
      return input_error{
          reports::pointer_to("/oracles", index),
          "expected no linearizability with reserved_blocks: its specification knows one eviction order, and there "
          "each class has its own"};
    if (given[index] == "linearizability" && document["cache"].contains("lease_us"))
      return input_error{reports::pointer_to("/oracles", index),
                         "expected no linearizability with lease_us: its specification knows no time, so an expired lease would "
                         "count as a lost publication"};
  }
  return check_once("/oracles", given);
}

// Of replay_then.
std::optional<input_error> check_schedule(const json& value) {
  if (!value.contains("schedule")) return input_error{"/search", "expected the key 'schedule' with strategy replay_then"};
  std::string error;
  const std::optional<kvrace::schedule> read = kvrace::schedule::parse(value["schedule"].get_ref<const std::string&>(), &error);
  if (!read) return input_error{"/search/schedule", reports::excerpt(error, 200)};
  const bool stale_reads = value.value("memory_model", "sc") == "rc11";
  if (read->set_up != (stale_reads ? kvrace::schedule::setting::rc11 : kvrace::schedule::setting::sampled))
    return input_error{"/search/schedule",
                       stale_reads ? "expected a schedule that begins with rc11/, as memory_model says"
                                   : "expected a schedule without a prefix: one of a sampled run, as memory_model is sc"};
  return std::nullopt;
}

std::optional<input_error> check_search(const json& value) {
  static const std::map<std::string, std::vector<std::string>> keys_of = {
      {"random", {"strategy", "switch_probability", "memory_model", "runs", "seed", "stop_at_violation"}},
      {"pct", {"strategy", "depth", "decisions_max", "memory_model", "runs", "seed", "stop_at_violation"}},
      {"pos", {"strategy", "memory_model", "runs", "seed", "stop_at_violation"}},
      {"surw", {"strategy", "sets", "memory_model", "runs", "seed", "stop_at_violation"}},
      {"round_robin", {"strategy", "quantum", "memory_model", "runs", "seed", "stop_at_violation"}},
      {"portfolio", {"strategy", "decisions_max", "memory_model", "runs", "seed", "stop_at_violation"}},
      {"replay_then", {"schedule", "then"}},  // and those of the strategy after it
      {"bounded", {"strategy", "preemptions_max", "states_max", "runs"}},
      {"prove", {"strategy", "memory_model", "states_max", "runs"}},
      {"graphs", {"strategy", "memory_model", "runs"}},
  };
  const std::string& strategy = value["strategy"].get_ref<const std::string&>();
  std::vector<std::string> keys = keys_of.at(strategy);
  if (strategy == "replay_then") {
    const std::vector<std::string>& more = keys_of.at(value.value("then", "random"));
    keys.insert(keys.end(), more.begin(), more.end());
  }
  for (const auto& [name, unused] : value.items()) {
    if (!contains(keys, name))
      return input_error{reports::pointer_to("/search", name),
                         "expected no such key with strategy " + strategy + ", only " + reports::listed(keys)};
  }
  if (strategy == "bounded" && !value.contains("preemptions_max"))
    return input_error{"/search", "expected the key 'preemptions_max' with strategy bounded"};
  if (strategy == "prove" && value.value("memory_model", "sc") != "sc")
    return input_error{"/search/memory_model", "expected sc with strategy prove: rc11 belongs to graphs and to samples"};
  if (value.contains("sets"))
    if (const auto twice = check_once("/search/sets", value["sets"].get<std::vector<std::string>>())) return twice;
  return strategy == "replay_then" ? check_schedule(value) : std::nullopt;
}

std::optional<input_error> check_expectation(const json& document, const scenario& read) {
  if (read.expect.violation) {
    const std::string& name = *read.expect.violation;
    std::vector<std::string> names;
    bool of_the_cache = false;
    for (const oracle_name& oracle : all_oracles()) {
      names.push_back(oracle.name);
      if (oracle.name == name) of_the_cache = oracle.of_the_cache;
    }
    if (!contains(names, name)) return unknown_name("/expect/violation", "an oracle", name, names);
    const auto on = document.value("oracles", std::vector<std::string>{});
    if (of_the_cache && !contains(on, name) && (document.contains("oracles") || name == "linearizability"))
      return input_error{"/expect/violation", "expected an oracle that /oracles switches on, not " + name};
    return std::nullopt;
  }
  const kvrace::verdict verdict = *read.expect.verdict;
  if (read.search.sampling() && verdict != kvrace::verdict::not_found)
    return input_error{"/expect/verdict", "expected not_found: a sampling strategy shows no more"};
  if (!read.search.sampling() && read.search.strategy != search::kind::bounded && verdict == kvrace::verdict::exhausted)
    return input_error{"/expect/verdict", "expected proved or not_found with strategy prove: exhausted belongs to bounded"};
  return std::nullopt;
}

}  // namespace

std::optional<input_error> check_semantics(const json& document, const scenario& read,
                                           const std::optional<generator>& generated) {
  if (std::optional<input_error> error = check_cache(read.cache.configuration)) return error;
  if (!read.traffic && read.needs_time() && !read.search.sampling())
    return input_error{"/search/strategy",
                       "expected a strategy that samples, as there is no time in proofs, and leases, scrubbing, waits and "
                       "prefill times need it, not '" +
                           reports::excerpt(document["search"]["strategy"].get<std::string>(), 60) + "'"};
  if (document.contains("tasks")) {
    if (std::optional<input_error> error = check_tasks(document["tasks"])) return error;
    if (std::optional<input_error> error = check_operations(read)) return error;
  }
  if (generated) {
    const std::uint32_t tokens_per_block = read.cache.configuration.tokens_per_block;
    if (std::optional<input_error> error = check_generator(document["generate"], *generated, tokens_per_block)) return error;
  }
  if (read.traffic) {
    if (std::optional<input_error> error = check_traffic(document, read)) return error;
  }
  if (std::optional<input_error> error = check_sweep(document, read)) return error;
  if (std::optional<input_error> error = check_rollout(document, read)) return error;
  if (std::optional<input_error> error = check_oracles(document)) return error;
  if (std::optional<input_error> error = check_search(document["search"])) return error;
  return check_expectation(document, read);
}

}  // namespace kvrace::scenarios
