#include "scenarios/sweep_input.h"

#include <algorithm>
#include <string>
#include <vector>

#include "reports/plain_text.h"

namespace kvrace::scenarios {
namespace {

using nlohmann::json;
using reports::input_error;

constexpr std::uint64_t runs_max = 1'000'000;

std::string place(const std::string& pointer, std::size_t index) { return reports::pointer_to(pointer, index); }

input_error unknown(const std::string& pointer, const char* thing, const std::string& given,
                    const std::vector<std::string>& names) {
  return {pointer, std::string("expected ") + thing + ", one of " + reports::listed(names) + ", not '" +
                       reports::excerpt(given, 60) + "'" + reports::suggestion(given, names)};
}

template <class T>
bool among(const std::vector<T>& all, const T& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

template <class T>
std::optional<std::size_t> second_of_a_kind(const std::vector<T>& all) {
  for (std::size_t index = 0; index < all.size(); ++index)
    if (std::find(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(index), all[index]) !=
        all.begin() + static_cast<std::ptrdiff_t>(index))
      return index;
  return std::nullopt;
}

std::vector<std::string> set_names(const sweep& read) {
  std::vector<std::string> names;
  for (const sweep::flaw_set& each : read.flaw_sets) names.push_back(each.name);
  return names;
}

// Every name, and every curve as a cache that can be built.
std::optional<input_error> check_curves(const scenario& read) {
  const sweep& asked = *read.sweep;
  std::vector<std::string> lockings;
  for (const cache::locking_description& each : cache::locking_strategies()) lockings.emplace_back(each.name);
  for (std::size_t index = 0; index < asked.locking.size(); ++index)
    if (!among(lockings, asked.locking[index]))
      return unknown(place("/sweep/locking", index), "a locking strategy", asked.locking[index], lockings);
  std::vector<std::string> flaws;
  for (const cache::flaw_description& each : cache::flaws()) flaws.emplace_back(each.name);
  for (std::size_t set = 0; set < asked.flaw_sets.size(); ++set) {
    const std::string pointer = place("/sweep/flaw_sets", set) + "/flaws";
    for (std::size_t index = 0; index < asked.flaw_sets[set].flaws.size(); ++index)
      if (!among(flaws, asked.flaw_sets[set].flaws[index]))
        return unknown(place(pointer, index), "a flaw", asked.flaw_sets[set].flaws[index], flaws);
  }
  for (const swept_curve& curve : curves_of(asked)) {
    cache::configuration configuration = read.cache.configuration;
    configuration.locking = curve.locking;
    configuration.flaws = curve.flaws;
    if (among(curve.flaws, std::string("short_last_block")) && configuration.compression.buffers == 0)
      return input_error{"/cache", "expected the key 'compression' with flaw short_last_block"};
    if (const auto error = cache::validate(configuration))
      return input_error{"/sweep", "with " + curve.locking + ", flaws '" + reports::excerpt(curve.flaw_set, 60) + "', cache/" +
                                       error->field + ": " + error->expected};
  }
  return std::nullopt;
}

std::optional<input_error> check_answers(const sweep& asked) {
  for (std::size_t index = 0; index < asked.answers.size(); ++index) {
    const sweep::answer& answer = asked.answers[index];
    const std::string pointer = place("/sweep/answers", index);
    if (!among(set_names(asked), answer.flaw_set))
      return unknown(pointer + "/flaw_set", "one of the flaw sets", answer.flaw_set, set_names(asked));
    for (std::size_t each = 0; each < answer.locking.size(); ++each)
      if (!among(asked.locking, answer.locking[each]))
        return unknown(place(pointer + "/locking", each), "one of the sweep's locking strategies", answer.locking[each],
                       asked.locking);
    if (answer.qps && !among(asked.qps, *answer.qps)) return input_error{pointer + "/qps", "expected a load of the sweep"};
    if (answer.percent_min > answer.percent_max) return input_error{pointer + "/percent_max", "expected at least percent_min"};
  }
  return std::nullopt;
}

}  // namespace

sweep sweep_of(const json& value) {
  sweep read{.qps = value["qps"].get<std::vector<double>>(),
             .locking = value["locking"].get<std::vector<std::string>>(),
             .seed_first = value["seeds"]["first"].get<std::uint64_t>(),
             .seed_count = value["seeds"]["count"].get<std::uint64_t>(),
             .flaw_sets = {},
             .answers = {}};
  for (const json& set : value["flaw_sets"])
    read.flaw_sets.push_back({set["name"].get<std::string>(), set["flaws"].get<std::vector<std::string>>()});
  for (const json& answer : value.value("answers", json::array()))
    read.answers.push_back({.flaw_set = answer["flaw_set"].get<std::string>(),
                            .locking = answer.value("locking", std::vector<std::string>{}),
                            .qps = answer.contains("qps") ? std::optional(answer["qps"].get<double>()) : std::nullopt,
                            .percent_min = answer["percent_min"].get<double>(),
                            .percent_max = answer["percent_max"].get<double>()});
  return read;
}

std::optional<input_error> check_sweep(const json& document, const scenario& read) {
  if (!document.contains("sweep")) return std::nullopt;
  if (!read.traffic) return input_error{"/sweep", "expected the key 'traffic' beside it"};
  const sweep& asked = *read.sweep;
  if (const auto twice = second_of_a_kind(asked.qps)) return input_error{place("/sweep/qps", *twice), "expected each load once"};
  if (const auto twice = second_of_a_kind(asked.locking))
    return input_error{place("/sweep/locking", *twice), "expected each locking strategy once"};
  if (const auto twice = second_of_a_kind(set_names(asked)))
    return input_error{place("/sweep/flaw_sets", *twice) + "/name", "expected a name of its own"};
  if (std::optional<input_error> error = check_curves(read)) return error;
  const std::uint64_t runs = curves_of(asked).size() * asked.qps.size() * asked.seed_count;
  if (runs > runs_max)
    return input_error{
        "/sweep", "expected at most " + std::to_string(runs_max) + " runs (curves x loads x seeds), not " + std::to_string(runs)};
  return check_answers(asked);
}

}  // namespace kvrace::scenarios
