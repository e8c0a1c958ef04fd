#include "scenarios/sweep_arguments.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <thread>
#include <utility>
#include <vector>

#include "reports/plain_text.h"
#include "scenarios/option_values.h"

namespace kvrace::scenarios {
namespace {

constexpr const char* examples = R"(
Examples:
  kvrace sweep 180                 the pollution curve of the incident
  kvrace sweep 180 --seeds 1001-1040 --report curve.json --svg curve.svg
  kvrace sweep my.json --qps 100,550 --locking mutex --flaws incident
)";

constexpr std::uint64_t seeds_max = 10'000;  // as in the scenario schema
constexpr std::uint64_t requests_max = 1'000'000'000;

// "1-40", or one number for both.
std::pair<std::uint64_t, std::uint64_t> seeds_of(const std::string& text) {
  const std::size_t dash = text.find('-');
  const std::uint64_t first = integer_option("--seeds", text.substr(0, dash), 0, integer_max);
  const std::uint64_t last = dash == std::string::npos ? first : integer_option("--seeds", text.substr(dash + 1), 0, integer_max);
  if (last < first || last - first >= seeds_max)
    throw usage_error("--seeds: expected a first and a last one, such as 1-20, and at most " + std::to_string(seeds_max) +
                      ", not '" + reports::excerpt(text, 60) + "'");
  return {first, last};
}

std::vector<std::string> list_of(const char* option, const std::string& text) {
  std::vector<std::string> items;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t comma = std::min(text.find(',', from), text.size());
    std::string item = text.substr(from, comma - from);
    if (item.empty() || std::find(items.begin(), items.end(), item) != items.end())
      throw usage_error(std::string(option) + ": expected a list with commas, each item once, not '" +
                        reports::excerpt(text, 60) + "'");
    items.push_back(std::move(item));
    from = comma + 1;
  }
  return items;
}

std::vector<double> loads_of(const std::string& text) {
  std::vector<double> loads;
  for (const std::string& item : list_of("--qps", text)) {
    double& load = loads.emplace_back();
    const auto [end, error] = std::from_chars(item.data(), item.data() + item.size(), load);
    if (error != std::errc() || end != item.data() + item.size() || !(load >= 0.1) || load > 1e6)
      throw usage_error("--qps: expected numbers from 0.1 to 1000000, not '" + reports::excerpt(item, 60) + "'");
  }
  return loads;
}

}  // namespace

CLI::App* sweep_arguments::declare(CLI::App& app) {
  CLI::App* const sweep =
      app.add_subcommand("sweep", "Measure pollution over loads, locking strategies, sets of flaws and seeds");
  sweep->add_option("SCENARIO", scenario, "One with traffic and a sweep: a file, or number or name of a built-in one")
      ->required();
  sweep->add_option("--qps", qps, "The loads instead of the scenario's")->option_text("LIST");
  sweep->add_option("--locking", locking, "The locking strategies instead")->option_text("LIST");
  sweep->add_option("--flaws", flaws, "Only these of its sets of flaws")->option_text("LIST");
  sweep->add_option("--seeds", seeds, "The seeds instead")->option_text("FIRST-LAST");
  sweep->add_option("--requests", requests, "How many in each run instead")->option_text("N");
  sweep->add_option("--jobs", jobs, "Processes that share the runs, with the same result for any number; default one a core")
      ->option_text("N");
  sweep->add_option("--svg", picture, "Write the curves as a picture")->option_text("FILE");
  sweep->footer(examples);
  return sweep;
}

sweep_command sweep_arguments::command(const std::string& report) const {
  sweep_command command;
  command.scenario = scenario;
  command.report = report;
  if (qps) command.qps = loads_of(*qps);
  if (locking)
    for (const std::string& each : list_of("--locking", *locking)) command.locking.push_back(locking_option("--locking", each));
  if (flaws) command.flaw_sets = list_of("--flaws", *flaws);
  if (seeds) command.seeds = seeds_of(*seeds);
  if (requests) command.requests = integer_option("--requests", *requests, 1, requests_max);
  command.jobs =
      jobs ? static_cast<unsigned>(integer_option("--jobs", *jobs, 1, 1024)) : std::max(1U, std::thread::hardware_concurrency());
  if (picture && (picture->empty() || *picture == "-")) throw usage_error("--svg: expected the name of a file");
  command.picture = picture.value_or("");
  return command;
}

}  // namespace kvrace::scenarios
