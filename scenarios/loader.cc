#include "scenarios/loader.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

#include "reports/json_text.h"
#include "scenarios/generator.h"
#include "scenarios/prompts.h"
#include "scenarios/rollout_input.h"
#include "scenarios/schema.h"
#include "scenarios/semantics.h"
#include "scenarios/sweep_input.h"
#include "scenarios/trace_file.h"
#include "scenarios/traffic_program.h"

namespace kvrace::scenarios {
namespace {

using nlohmann::json;

cache::cancel_point cancel_point_of(const std::string& name) {
  if (name == "after_lookup") return cache::cancel_point::after_lookup;
  if (name == "after_reserve") return cache::cancel_point::after_reserve;
  if (name == "after_fill") return cache::cancel_point::after_fill;
  return cache::cancel_point::none;
}

std::chrono::nanoseconds nanoseconds_of(double value, double unit_ns) {
  return std::chrono::nanoseconds(static_cast<std::int64_t>(value * unit_ns));
}

// The index of a key by its name.
std::uint32_t key_of(const json& value, std::vector<std::string>& keys) {
  const std::string& name = value["key"].get_ref<const std::string&>();
  const auto known = std::find(keys.begin(), keys.end(), name);
  const auto index = static_cast<std::uint32_t>(known - keys.begin());
  if (known == keys.end()) keys.push_back(name);
  return index;
}

// A call on what stands beside the cache.
std::optional<operation> operation_of_part(const std::string& name, const json& value, cache::parts_options& parts) {
  struct part_call {
    const char* name;
    operation::kind what;
    bool cache::parts_options::* part;
  };
  static constexpr part_call calls[] = {{"load", operation::kind::load, &cache::parts_options::read_through},
                                        {"update", operation::kind::update, &cache::parts_options::read_through},
                                        {"fetch", operation::kind::fetch, &cache::parts_options::connections},
                                        {"put", operation::kind::put, &cache::parts_options::buffered},
                                        {"maintain", operation::kind::maintain, &cache::parts_options::buffered},
                                        {"admit", operation::kind::admit, &cache::parts_options::batch},
                                        {"device_step", operation::kind::device_step, &cache::parts_options::batch}};
  for (const part_call& each : calls) {
    if (name != each.name) continue;
    parts.*each.part = true;
    return operation{.what = each.what, .key = value.contains("key") ? key_of(value, parts.keys) : 0};
  }
  return std::nullopt;
}

operation operation_of(const json& value, cache::parts_options& parts, prompt_reader& prompts) {
  const auto call = value.begin();
  if (std::optional<operation> beside = operation_of_part(call.key(), call.value(), parts)) return *std::move(beside);
  if (call.key() == "invalidate") return {.what = operation::kind::invalidate};
  if (call.key() == "roll_out") return {.what = operation::kind::roll_out};
  if (call.key() == "roll_back") return {.what = operation::kind::roll_back};
  if (call.key() == "retrieve") return {.what = operation::kind::retrieve};
  if (call.key() == "follow_evictions")
    return {.what = operation::kind::follow_evictions, .count = call.value()["count"].get<std::uint32_t>()};
  if (call.key() == "wait")
    return {.what = operation::kind::wait, .duration = nanoseconds_of(call.value()["us"].get<double>(), 1e3)};
  operation result{.prompt = prompts.read(call.value())};
  if (call.key() == "serve") {
    result.what = operation::kind::serve;
    result.cancel = cancel_point_of(call.value().value("cancel", ""));
    result.times.prefill_per_token = nanoseconds_of(call.value().value("prefill_us_per_token", 0.0), 1e3);
  } else if (call.key() == "expect_match") {
    result.what = operation::kind::expect_match;
    result.expected_tokens = call.value()["expected_tokens"].get<std::size_t>();
  } else if (call.key() == "promise") {
    result.what = operation::kind::promise;
  }
  return result;
}

std::vector<task> tasks_of(const json& value, cache::parts_options& parts, prompt_reader& prompts) {
  std::vector<task> tasks;
  for (const json& each : value) {
    task& added = tasks.emplace_back();
    added.name = each["name"].get<std::string>();
    for (const json& call : each["operations"]) added.operations.push_back(operation_of(call, parts, prompts));
  }
  return tasks;
}

// The fields that generated tasks and traffic have in common.
generator prompts_of(const json& value) {
  generator result;
  if (const auto keys = value.find("keys"); keys != value.end() && (*keys)["distribution"] == "zipf")
    result.zipf_exponent = keys->value("exponent", 1.0);
  result.tenants = value.value("tenants", 1u);
  if (const auto tree = value.find("prefix_tree"); tree != value.end()) {
    result.tree_depth = (*tree)["depth"].get<unsigned>();
    result.tree_fanout = (*tree)["fanout"].get<unsigned>();
  }
  if (const auto mix = value.find("mix"); mix != value.end()) {
    result.mix = {.lookup = mix->value("lookup", std::uint64_t{0}),
                  .serve = mix->value("serve", std::uint64_t{0}),
                  .invalidate = mix->value("invalidate", std::uint64_t{0})};
  }
  return result;
}

generator generator_of(const json& value) {
  generator result = prompts_of(value);
  result.seed = value["seed"].get<std::uint64_t>();
  result.tasks = value["tasks"].get<unsigned>();
  result.operations = value["operations"].get<unsigned>();
  result.cancellation_probability = value.value("cancellation_probability", 0.0);
  return result;
}

// The trace that a scenario names, read.
std::optional<input_error> take_trace(const json& value, std::string_view path, const std::string& trace_file, traffic& to) {
  const json& wanted = value["trace"];
  recording_options options{.tokens_per_block = wanted.value("tokens_per_block", recording_options{}.tokens_per_block),
                            .requests = std::nullopt,
                            .jitter = nanoseconds_of(wanted.value("jitter_ms", 0.0), 1e6),
                            .seed = to.seed};
  if (wanted.contains("requests")) options.requests = wanted["requests"].get<std::uint64_t>();
  auto read = read_trace(trace_file.empty() ? wanted["file"].get<std::string>() : trace_file,
                         trace_file.empty() ? path : std::string_view(), options);
  if (const input_error* const error = std::get_if<input_error>(&read))
    return input_error{"/traffic/trace/file", error->expected};
  to.trace = std::get<std::shared_ptr<const recorded_trace>>(std::move(read));
  if (value.contains("qps")) return std::nullopt;
  const double recorded = to.trace->rate().value_or(static_cast<double>(to.trace->size()));
  to.qps = recorded * wanted.value("speed", 1.0);
  return std::nullopt;
}

traffic traffic_of(const json& value) {
  traffic result;
  result.seed = value["seed"].get<std::uint64_t>();
  result.qps = value.value("qps", result.qps);
  if (value.contains("requests")) result.requests = value["requests"].get<std::uint64_t>();
  if (value.contains("duration_s")) result.duration = nanoseconds_of(value["duration_s"].get<double>(), 1e9);
  result.workers = value.value("workers", result.workers);
  if (value.contains("window_s")) result.window = nanoseconds_of(value["window_s"].get<double>(), 1e9);
  if (value.contains("tick_us")) result.tick = nanoseconds_of(value["tick_us"].get<double>(), 1e3);
  if (const auto bursts = value.find("bursts"); bursts != value.end())
    result.burst = {.period = nanoseconds_of((*bursts)["period_s"].get<double>(), 1e9),
                    .length = nanoseconds_of((*bursts)["length_s"].get<double>(), 1e9),
                    .factor = (*bursts)["factor"].get<double>()};
  if (const auto service = value.find("service"); service != value.end()) {
    traffic::service& times = result.times;
    times = {.prefill_us_per_token = service->value("prefill_us_per_token", times.prefill_us_per_token),
             .decode_us_per_token = service->value("decode_us_per_token", times.decode_us_per_token),
             .output_tokens = service->value("output_tokens", times.output_tokens),
             .output_exponential = service->value("output_distribution", "exponential") == "exponential",
             .deferral_us = service->value("deferral_us", times.deferral_us)};
  }
  const generator shared = prompts_of(value);
  result.zipf_exponent = shared.zipf_exponent;
  result.tenants = shared.tenants;
  result.tree_depth = shared.tree_depth;
  result.tree_fanout = shared.tree_fanout;
  result.mix = {.lookup = shared.mix.lookup, .serve = shared.mix.serve, .invalidate = shared.mix.invalidate};
  result.high_priority_probability = value.value("high_priority_probability", result.high_priority_probability);
  if (const auto cancellation = value.find("cancellation"); cancellation != value.end()) {
    static const json everywhere = {"after_lookup", "after_reserve", "after_fill"};
    result.cancellation_probability = (*cancellation)["probability"].get<double>();
    for (const json& point : cancellation->value("points", everywhere))
      result.cancellation_points.push_back(cancel_point_of(point.get<std::string>()));
  }
  return result;
}

search::kind strategy_named(const json& wanted) {
  static const std::vector<std::pair<std::string, search::kind>> strategies = {{"random", search::kind::random},
                                                                               {"pct", search::kind::pct},
                                                                               {"pos", search::kind::pos},
                                                                               {"surw", search::kind::surw},
                                                                               {"round_robin", search::kind::round_robin},
                                                                               {"portfolio", search::kind::portfolio},
                                                                               {"replay_then", search::kind::replay_then},
                                                                               {"bounded", search::kind::bounded},
                                                                               {"prove", search::kind::prove},
                                                                               {"graphs", search::kind::graphs}};
  search::kind named{};
  for (const auto& [name, kind] : strategies)
    if (wanted == name) named = kind;
  return named;
}

search search_of(const json& value) {
  search result;
  result.strategy = strategy_named(value["strategy"]);
  if (value.contains("then")) result.then = strategy_named(value["then"]);
  if (value.contains("schedule"))
    result.schedule = kvrace::schedule::parse(value["schedule"].get_ref<const std::string&>()).value_or(kvrace::schedule{});
  result.quantum = value.value("quantum", result.quantum);
  result.sets = value.value("sets", result.sets);
  result.memory_model_given = value.contains("memory_model");
  if (value.value("memory_model", "sc") == "rc11") result.memory_model = kvrace::memory_model::rc11;
  result.switch_probability = value.value("switch_probability", result.switch_probability);
  result.depth = value.value("depth", result.depth);
  result.decisions_max = value.value("decisions_max", result.decisions_max);
  if (value.contains("preemptions_max")) result.preemptions_max = value["preemptions_max"].get<unsigned>();
  result.states_max = value.value("states_max", result.states_max);
  if (value.contains("runs")) result.runs = value["runs"].get<std::uint64_t>();
  result.seed = value.value("seed", result.seed);
  result.stop_at_violation = value.value("stop_at_violation", result.stop_at_violation);
  return result;
}

expectation expectation_of(const json& value) {
  if (value.contains("violation")) return {.violation = value["violation"].get<std::string>(), .verdict = std::nullopt};
  const json& verdict = value["verdict"];
  return {.violation = std::nullopt,
          .verdict = verdict == "proved"      ? kvrace::verdict::proved
                     : verdict == "exhausted" ? kvrace::verdict::exhausted
                                              : kvrace::verdict::not_found};
}

// The document names the oracles that are on, the cache those that are off.
std::vector<std::string> oracles_off(const json& document) {
  std::vector<std::string> off;
  if (!document.contains("oracles")) return off;
  const auto on = document["oracles"].get<std::vector<std::string>>();
  for (const oracle_name& oracle : all_oracles())
    if (oracle.of_the_cache && std::find(on.begin(), on.end(), oracle.name) == on.end()) off.push_back(oracle.name);
  return off;
}

cache::compression_options compression_of(const json& value) {
  const auto asked = value.find("compression");
  if (asked == value.end()) return {};
  return {.buffers = (*asked)["buffers"].get<std::uint32_t>(),
          .block_tokens = asked->value("block_tokens", std::uint32_t{0}),
          .head_tile = asked->value("head_tile", std::uint32_t{1}),
          .scrub = nanoseconds_of(asked->value("scrub_us", 0.0), 1e3)};
}

cache::configuration configuration_of(const json& value) {
  return {.locking = value["locking"].get<std::string>(),
          .capacity_blocks = value["capacity_blocks"].get<std::uint32_t>(),
          .tokens_per_block = value["tokens_per_block"].get<std::uint32_t>(),
          .hash_bits = value.value("hash_bits", std::uint32_t{64}),
          .lease = nanoseconds_of(value.value("lease_us", 0.0), 1e3),
          .eviction_feed = value.value("eviction_feed", std::uint32_t{0}),
          .reserved_blocks = value.value("reserved_blocks", std::uint32_t{0}),
          .compression = compression_of(value),
          .input_chunk_bytes = value.contains("input") ? value["input"].value("chunk_bytes", std::uint32_t{4'096}) : 4'096,
          .flaws = value.value("flaws", std::vector<std::string>{})};
}

}  // namespace

std::uint64_t digest_of(std::string_view text, std::uint64_t from) {
  for (const char character : text) from = (from ^ static_cast<unsigned char>(character)) * 0x100000001b3u;
  return from;
}

std::variant<scenario, input_error> parse_scenario(std::string_view text, std::string_view path, const std::string& trace_file) {
  std::variant<json, input_error> parsed = reports::parse_json<json>(text);
  if (input_error* const error = std::get_if<input_error>(&parsed)) return std::move(*error);
  const json& document = std::get<json>(parsed);
  if (std::optional<input_error> error = check_schema(document)) return *std::move(error);
  if (std::optional<input_error> error = check_prompts(document)) return *std::move(error);

  scenario result;
  result.source = {.path = std::string(path), .text = std::string(text), .digest = digest_of(text), .trace_file = {}};
  result.name = document["name"].get<std::string>();
  result.question = document.value("question", "");
  result.cache.configuration = configuration_of(document["cache"]);
  result.search = search_of(document["search"]);
  result.expect = expectation_of(document["expect"]);
  if (document.contains("traffic")) {
    result.traffic = traffic_of(document["traffic"]);
    if (document["traffic"].contains("trace")) {
      result.source.trace_file = trace_file;
      if (std::optional<input_error> error = take_trace(document["traffic"], path, trace_file, *result.traffic))
        return *std::move(error);
    }
    result.steps_max = traffic_steps_max(*result.traffic);
  }
  if (document.contains("sweep")) result.sweep = sweep_of(document["sweep"]);
  if (document.contains("rollout")) result.rollout = rollout_of(document["rollout"], result.cache.configuration);
  if (document.contains("limits")) {
    result.steps_max = document["limits"].value("steps_max", result.steps_max);
    result.call_steps_max = document["limits"].value("call_steps_max", result.call_steps_max);
    result.lock_order = document["limits"].value("lock_order", result.lock_order);
    result.cancellations = document["limits"].value("cancellations", result.cancellations);
  }
  result.cache.parts.connections_max = document["cache"].value("connections", result.cache.parts.connections_max);
  prompt_reader prompts(result.cache.configuration);
  if (document.contains("tasks")) result.tasks = tasks_of(document["tasks"], result.cache.parts, prompts);
  std::optional<generator> generated;
  if (document.contains("generate")) generated = generator_of(document["generate"]);
  if (std::optional<input_error> error = check_semantics(document, result, generated)) return *std::move(error);

  result.cache.oracles_off = oracles_off(document);
  const auto oracles_on = document.value("oracles", std::vector<std::string>{});
  result.cache.linearizability = std::find(oracles_on.begin(), oracles_on.end(), "linearizability") != oracles_on.end();
  if (generated) result.tasks = generate_tasks(*generated, result.cache.configuration.tokens_per_block);
  return result;
}

}  // namespace kvrace::scenarios
