#include <cstdio>
#include <ostream>

#include <nlohmann/json.hpp>

#include "reports/sweep.h"

namespace kvrace::reports {
namespace {

using json = nlohmann::ordered_json;  // members in the order in which they are written

constexpr int sweep_schema_version = 1;

std::string hex(std::uint64_t value) {
  char text[19];
  std::snprintf(text, sizeof text, "0x%016llx", static_cast<unsigned long long>(value));
  return text;
}

json to_json(const sweep_point& point) {
  json ways = json::object();
  for (const auto& [name, count] : point.ways) ways[name] = count;
  return {{"qps", point.qps},
          {"runs", point.runs},
          {"violations", point.violations},
          {"cut_short", point.cut_short},
          {"completed", point.completed},
          {"polluted", point.polluted},
          {"polluted_by", std::move(ways)},
          {"pollution", {{"mean", point.mean}, {"low", point.low}, {"high", point.high}}},
          {"qps_reached", point.qps_reached},
          {"in_flight", point.in_flight},
          {"latency_ms", {{"p50", point.p50_ms}, {"p99", point.p99_ms}}},
          {"tokens_hit", point.hit.numerator},
          {"tokens_queried", point.hit.denominator},
          {"starved", point.starved}};
}

json to_json(const sweep_curve& curve) {
  json points = json::array();
  for (const sweep_point& each : curve.points) points.push_back(to_json(each));
  return {{"locking", curve.locking}, {"flaw_set", curve.flaw_set}, {"flaws", curve.flaws}, {"points", std::move(points)}};
}

}  // namespace

void write_sweep_json(std::ostream& out, const sweep_facts& facts) {
  json curves = json::array();
  for (const sweep_curve& each : facts.curves) curves.push_back(to_json(each));
  json answers = json::array();
  for (const sweep_answer& each : facts.answers)
    answers.push_back({{"expected", each.expected}, {"outcome", each.outcome}, {"met", each.met}});
  const json document = {{"schema_version", sweep_schema_version},
                         {"mode", "sweep"},
                         {"scenario",
                          {{"name", facts.scenario.name},
                           {"path", facts.scenario.path},
                           {"digest", hex(facts.scenario.digest)},
                           {"text", facts.scenario.text}}},
                         {"expectation",
                          {{"expected", facts.expectation.expected},
                           {"outcome", facts.expectation.outcome},
                           {"met", facts.expectation.met},
                           {"exit_code", facts.expectation.exit_code}}},
                         {"seeds", {{"first", facts.seed_first}, {"count", facts.seed_count}}},
                         {"requests", facts.requests},
                         {"interval", facts.interval},
                         {"curves", std::move(curves)},
                         {"answers", std::move(answers)},
                         {"command", facts.command},
                         {"build",
                          {{"project_version", facts.build.project_version},
                           {"compiler", facts.build.compiler},
                           {"build_type", facts.build.build_type},
                           {"target", facts.build.target}}},
                         {"timing", {{"time_s", facts.time_s}}}};
  out << document.dump(2, ' ', false, json::error_handler_t::replace) << '\n';
}

}  // namespace kvrace::reports
