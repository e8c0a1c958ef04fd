// Sweeps: their grid, what they measure, and every way a sweep block can be wrong.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <sstream>

#include "scenarios/loader.h"
#include "scenarios/sweep.h"

using nlohmann::json;
using namespace kvrace::scenarios;

namespace {

class patient final : public kvrace::search_observer {
 public:
  bool on_progress(const kvrace::search_progress&) override { return true; }
};

scenario built_in(const char* name) { return std::get<scenario>(find_scenario(name)); }

// The built-in curve, small enough for a test.
scenario small_curve() {
  scenario asked = built_in("180");
  asked.traffic->requests = 1'000;
  asked.sweep->qps = {100, 550};
  asked.sweep->seed_count = 3;
  return asked;
}

kvrace::reports::sweep_facts swept(const scenario& asked, unsigned jobs = 1) {
  patient observer;
  return *carry_out(asked, jobs, observer);
}

std::string bytes_of(kvrace::reports::sweep_facts facts) {
  facts.time_s = 0;
  std::ostringstream out;
  write_sweep_json(out, facts);
  write_sweep_text(out, facts);
  write_sweep_svg(out, facts);
  return std::move(out).str();
}

json valid() {
  return json::parse(R"({
    "name": "valid",
    "cache": { "locking": "mutex", "capacity_blocks": 2, "tokens_per_block": 1 },
    "traffic": { "seed": 1, "requests": 10 },
    "sweep": { "qps": [10, 20], "locking": ["mutex", "epoch"], "seeds": { "first": 1, "count": 2 },
               "flaw_sets": [{ "name": "all", "flaws": ["hit_not_pinned"] }, { "name": "none", "flaws": [] }],
               "answers": [{ "flaw_set": "none", "percent_min": 0, "percent_max": 0 }] },
    "search": { "strategy": "random" },
    "expect": { "verdict": "not_found" }
  })");
}

std::string line_for(json document, const char* pointer, const json& value) {
  document[json::json_pointer(pointer)] = value;
  const auto parsed = parse_scenario(document.dump(), "s.json");
  const input_error* const error = std::get_if<input_error>(&parsed);
  return error == nullptr ? std::string{} : error->to_line("s.json");
}

}  // namespace

TEST_CASE("a strategy has a curve for each set of its own flaws") {
  const std::vector<swept_curve> curves = curves_of(*built_in("180").sweep);
  std::vector<std::string> names;
  for (const swept_curve& each : curves) names.push_back(each.locking + " " + each.flaw_set);
  CHECK(names == std::vector<std::string>{"mutex incident", "mutex repaired", "mutex I3 alone", "mutex I5 alone",
                                          "mutex B02 alone", "rwlock incident", "rwlock repaired", "rwlock I3 alone",
                                          "rwlock I5 alone", "rwlock B02 alone", "epoch incident", "epoch repaired"});
  CHECK(curves[10].flaws == std::vector<std::string>{"short_last_block"});
  CHECK(curves[11].flaws.empty());
}

TEST_CASE("a sweep is the same for any number of processes") {
  scenario asked = small_curve();
  asked.sweep->locking = {"mutex", "epoch"};
  const std::string alone = bytes_of(swept(asked));
  for (const unsigned jobs : {2U, 5U}) CHECK(bytes_of(swept(asked, jobs)) == alone);
}

TEST_CASE("each flaw alone pollutes in its own way, and none is exactly zero") {
  scenario asked = small_curve();
  asked.sweep->locking = {"mutex", "rwlock"};
  asked.sweep->qps = {550};
  const std::vector<std::pair<std::string, std::string>> way_of = {
      {"I3 alone", "foreign_rows"}, {"I5 alone", "ghost_entry"}, {"B02 alone", "stolen_block"}, {"repaired", ""}};
  for (const kvrace::reports::sweep_curve& curve : swept(asked).curves)
    for (const auto& [flaw_set, expected] : way_of) {
      if (curve.flaw_set != flaw_set) continue;
      INFO(curve.locking << ", " << curve.flaw_set);
      CHECK(curve.points[0].cut_short == 0);
      CHECK((curve.points[0].polluted == 0) == expected.empty());
      for (const auto& [way, count] : curve.points[0].ways) CHECK(count == (way == expected ? curve.points[0].polluted : 0));
    }
}

TEST_CASE("what the scenario expects is compared with what came out") {
  scenario asked = small_curve();
  asked.sweep->locking = {"mutex"};
  asked.sweep->answers = {{.flaw_set = "repaired", .locking = {}, .qps = {}, .percent_max = 0},
                          {.flaw_set = "incident", .locking = {"mutex"}, .qps = 550, .percent_min = 99, .percent_max = 100}};
  const kvrace::reports::sweep_facts facts = swept(asked);
  REQUIRE(facts.answers.size() == 2);
  CHECK(facts.answers[0].met);
  CHECK(facts.answers[0].outcome == "0 %");
  CHECK_FALSE(facts.answers[1].met);
  CHECK(facts.expectation.exit_code == 2);
  CHECK(facts.expectation.outcome == "1 of them did not come out");
  asked.sweep->answers.pop_back();
  CHECK(swept(asked).expectation.exit_code == 0);
}

TEST_CASE("runs that are cut short are no measurement, and an unexpected outcome") {
  scenario asked = small_curve();
  asked.sweep->locking = {"mutex"};
  asked.sweep->qps = {100};
  asked.sweep->flaw_sets = {{"unlocked", {"metadata_unlocked"}}};
  asked.sweep->answers.clear();
  const kvrace::reports::sweep_facts facts = swept(asked);  // a data race ends a run
  CHECK(facts.curves[0].points[0].cut_short == 3);
  CHECK(facts.curves[0].points[0].completed == 0);
  CHECK(facts.expectation.exit_code == 1);
  CHECK(facts.expectation.outcome == "3 runs cut short at 100 requests a second with mutex, flaws 'unlocked'");
}

TEST_CASE("the built-in curve passes where it must, for seeds it was not fitted on", "[exhaustive]") {
  scenario asked = built_in("180");
  asked.sweep->seed_first = 1'001;
  asked.sweep->seed_count = 40;
  asked.sweep->qps = {100, 550};
  for (const kvrace::reports::sweep_answer& each : swept(asked, 2).answers) {
    INFO(each.expected << ": " << each.outcome);
    CHECK(each.met);
  }
}

TEST_CASE("a wrong sweep is answered by one line that says where") {
  REQUIRE(line_for(valid(), "/name", "valid") == "");
  const auto without_traffic = [] {
    json document = valid();
    document.erase("traffic");
    document["generate"] = json::parse(R"({ "seed": 1, "tasks": 1, "operations": 1 })");
    return document;
  };
  CHECK(line_for(without_traffic(), "/name", "x") == "s.json: /sweep: expected the key 'traffic' beside it");
  CHECK(line_for(valid(), "/sweep/qps", {10, 20, 10}) == "s.json: /sweep/qps/2: expected each load once");
  CHECK(line_for(valid(), "/sweep/qps", json::array()) == "s.json: /sweep/qps: expected at least 1 item, not 0");
  CHECK(line_for(valid(), "/sweep/qps/0", 0) == "s.json: /sweep/qps/0: expected a number from 0.1 to 1000000, not 0");
  CHECK(line_for(valid(), "/sweep/locking/1", "mutex") == "s.json: /sweep/locking/1: expected each locking strategy once");
  CHECK(
      line_for(valid(), "/sweep/locking/1", "epochs") ==
      "s.json: /sweep/locking/1: expected a locking strategy, one of mutex, rwlock, epoch, not 'epochs'; did you mean 'epoch'?");
  CHECK(line_for(valid(), "/sweep/flaw_sets/1/name", "all") == "s.json: /sweep/flaw_sets/1/name: expected a name of its own");
  CHECK(line_for(valid(), "/sweep/flaw_sets/1/flaws", {"no_such"})
            .starts_with("s.json: /sweep/flaw_sets/1/flaws/0: expected a flaw, one of "));
  CHECK(line_for(valid(), "/sweep/flaw_sets/1/flaws", {"hit_not_pinned", "hit_not_pinned"})
            .starts_with("s.json: /sweep: with mutex, flaws 'none', cache/flaws/1: expected at most one flaw in seam pin"));
  CHECK(line_for(valid(), "/sweep/flaw_sets/1/flaws", {"short_last_block"}) ==
        "s.json: /cache: expected the key 'compression' with flaw short_last_block");
  CHECK(line_for(valid(), "/sweep/answers/0/flaw_set", "some") ==
        "s.json: /sweep/answers/0/flaw_set: expected one of the flaw sets, one of all, none, not 'some'");
  CHECK(line_for(valid(), "/sweep/answers/0/locking", {"rwlock"}) ==
        "s.json: /sweep/answers/0/locking/0: expected one of the sweep's locking strategies, one of mutex, epoch, not 'rwlock'");
  CHECK(line_for(valid(), "/sweep/answers/0/qps", 30) == "s.json: /sweep/answers/0/qps: expected a load of the sweep");
  CHECK(line_for(valid(), "/sweep/answers/0/percent_min", 1) ==
        "s.json: /sweep/answers/0/percent_max: expected at least percent_min");
  CHECK(line_for(valid(), "/sweep/seeds/count", 0) == "s.json: /sweep/seeds/count: expected an integer from 1 to 10000, not 0");
}
