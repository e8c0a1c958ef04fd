// The boundary cases in time: when an anomaly fires, when a step ends, and what a clock that jumps does to both.
#include <catch2/catch.hpp>

#include "cache_model/monitor/rollout_controller.h"

namespace kvrace::monitor {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;

counters good_window() {
  return {.queries = 200,
          .tokens_queried = 2'000,
          .tokens_hit = 1'900,
          .similarity_sum = 200 * similarity_one,
          .similarity_count = 200};
}
counters bad_window() {
  counters bad = good_window();
  bad.similarity_sum /= 2;
  return bad;
}

// A controller with the counters that it is shown.
struct rollout {
  explicit rollout(rules by = {}, std::vector<ramp_step> ramp = {{50, 60s}, {250, 60s}, {500, 60s}, {1'000, 60s}})
      : controller(by, std::move(ramp)) {
    controller.begin(0s, read);
  }
  decision at(nanoseconds time, const counters& candidate, const counters& baseline) {
    read.stable += good_window();
    read.candidate += candidate;
    read.baseline += baseline;
    return controller.evaluate(time, read);
  }
  decision good(nanoseconds time) { return at(time, good_window(), good_window()); }
  decision bad(nanoseconds time) { return at(time, bad_window(), good_window()); }
  decision both_bad(nanoseconds time) { return at(time, bad_window(), bad_window()); }
  decision nothing(nanoseconds time) { return at(time, {}, {}); }
  // Every 5 s up to `last`; the last decision that was not to hold.
  template <class Window>
  decision every(nanoseconds first, nanoseconds last, Window window) {
    decision made = decision::hold;
    for (nanoseconds time = first; time <= last; time += 5s)
      if (const decision each = (this->*window)(time); each != decision::hold) made = each;
    return made;
  }

  rollout_controller controller;
  population_counters read;
};

TEST_CASE("an anomaly fires 30 s after the first bad evaluation, and not a millisecond earlier") {
  rollout one;
  CHECK(one.every(5s, 30s, &rollout::bad) == decision::hold);
  CHECK(one.bad(34'999ms) == decision::hold);  // 29.999 s
  CHECK(one.controller.state() == rollout_state::ramping);
  CHECK(one.bad(35s) == decision::roll_back);
  CHECK(one.controller.state() == rollout_state::rolled_back);
  CHECK(one.controller.split() == traffic_split{.stable = 1000, .candidate = 0, .baseline = 0});
  CHECK(one.controller.decided_at() == 35s);
  CHECK(one.controller.reason() == "the candidate was bad from 5 s to 35 s: similarity");
}

TEST_CASE("25 s bad, one good evaluation, 25 s bad: nothing fires") {
  rollout one;
  CHECK(one.every(5s, 30s, &rollout::bad) == decision::hold);
  CHECK(one.good(35s) == decision::hold);
  CHECK(one.every(40s, 65s, &rollout::bad) == decision::hold);
  CHECK(one.controller.state() == rollout_state::ramping);
  CHECK(one.bad(70s) == decision::roll_back);
}

TEST_CASE("flapping for ever is neither rolled back nor promoted") {
  rollout one;
  for (nanoseconds begin = 0s; begin < 3'600s; begin += 30s) {
    CHECK(one.every(begin + 5s, begin + 25s, &rollout::bad) == decision::hold);
    CHECK(one.good(begin + 30s) == decision::hold);
  }
  CHECK(one.controller.step() == 0);
  CHECK(one.controller.state() == rollout_state::ramping);
}

TEST_CASE("the anomaly persists though the rule that fails is another one in between") {
  rollout one;
  counters few_hits = good_window();
  few_hits.tokens_hit = 0;
  for (nanoseconds time = 5s; time <= 20s; time += 5s) CHECK(one.at(time, few_hits, good_window()) == decision::hold);
  CHECK(one.every(25s, 30s, &rollout::bad) == decision::hold);
  CHECK(one.bad(35s) == decision::roll_back);
}

TEST_CASE("both populations bad: no rollback, no step, and an alert of its own") {
  rollout one;
  CHECK(one.every(5s, 300s, &rollout::both_bad) == decision::hold);
  CHECK(one.controller.state() == rollout_state::ramping);
  CHECK(one.controller.step() == 0);
  REQUIRE(one.controller.alerts().size() == 1);
  CHECK(one.controller.alerts()[0] == alert_record{"outage", 5s, 35s, std::nullopt});
  one.good(305s);
  CHECK(one.controller.alerts()[0].resolved_at == 305s);
}

TEST_CASE("an outage that hits the candidate first and leaves it last is not its fault") {
  rollout one;
  one.bad(5s);
  one.every(10s, 60s, &rollout::both_bad);
  CHECK(one.bad(65s) == decision::hold);
}

TEST_CASE("a candidate that is still bad after an outage is rolled back 30 s later") {
  rollout one;
  one.every(5s, 60s, &rollout::both_bad);
  CHECK(one.every(65s, 90s, &rollout::bad) == decision::hold);
  CHECK(one.bad(95s) == decision::roll_back);
}

TEST_CASE("one query too few holds for ever, however bad they are") {
  rollout one;
  counters few = bad_window();
  few.queries = 99;
  for (nanoseconds time = 5s; time <= 600s; time += 5s) CHECK(one.at(time, few, good_window()) == decision::hold);
  CHECK(one.controller.state() == rollout_state::ramping);
  CHECK(one.controller.alerts().empty());
  few.queries = 100;
  for (nanoseconds time = 605s; time <= 630s; time += 5s) CHECK(one.at(time, few, good_window()) == decision::hold);
  CHECK(one.at(635s, few, good_window()) == decision::roll_back);
}

TEST_CASE("no data holds: no step, no promotion, no rollback") {
  rollout one;
  CHECK(one.every(5s, 3'600s, &rollout::nothing) == decision::hold);
  CHECK(one.controller.step() == 0);
  CHECK(one.controller.evaluations().back().judged.overall == judgement::no_data);
}

TEST_CASE("a step is held only through time that has data") {
  rollout one;
  CHECK(one.every(5s, 55s, &rollout::good) == decision::hold);
  CHECK(one.every(60s, 600s, &rollout::nothing) == decision::hold);
  CHECK(one.good(605s) == decision::next_step);
}

TEST_CASE("missing data in between neither fires nor forgives an anomaly") {
  rollout one;
  one.every(5s, 25s, &rollout::bad);
  CHECK(one.every(30s, 35s, &rollout::nothing) == decision::hold);  // 30 s after the first bad one
  CHECK(one.bad(40s) == decision::roll_back);
}

TEST_CASE("two bad evaluations with a long time without data between them are no persistence") {
  rollout one;
  one.bad(5s);
  one.every(10s, 600s, &rollout::nothing);
  CHECK(one.bad(605s) == decision::hold);
  CHECK(one.every(610s, 630s, &rollout::bad) == decision::hold);
  CHECK(one.bad(635s) == decision::roll_back);
}

TEST_CASE("a step is held for its time, and not a millisecond less") {
  rollout one;
  CHECK(one.every(5s, 55s, &rollout::good) == decision::hold);
  CHECK(one.good(59'999ms) == decision::hold);
  CHECK(one.controller.split() == traffic_split{900, 50, 50});
  CHECK(one.good(60s) == decision::next_step);
  CHECK(one.controller.split() == traffic_split{500, 250, 250});
}

TEST_CASE("a bad evaluation begins the hold of a step anew") {
  rollout one;
  one.every(5s, 50s, &rollout::good);
  one.bad(55s);
  CHECK(one.every(60s, 110s, &rollout::good) == decision::hold);
  CHECK(one.good(115s) == decision::next_step);
}

TEST_CASE("a healthy candidate is promoted after all steps, and stays so") {
  rollout one;
  CHECK(one.every(5s, 235s, &rollout::good) == decision::next_step);
  CHECK(one.controller.step() == 3);
  CHECK(one.controller.split() == traffic_split{0, 1'000, 0});
  CHECK(one.at(240s, good_window(), {}) == decision::promote);
  CHECK(one.controller.decided_at() == 240s);
  CHECK(one.every(245s, 400s, &rollout::bad) == decision::hold);
  CHECK(one.controller.state() == rollout_state::promoted);
  CHECK(one.controller.split() == traffic_split{0, 1'000, 0});
}

TEST_CASE("with all traffic the candidate is compared with the last that was seen of the baseline") {
  rollout one;
  one.every(5s, 180s, &rollout::good);
  REQUIRE(one.controller.step() == 3);
  counters few_hits = good_window();
  few_hits.tokens_hit = 1'000;
  for (nanoseconds time = 185s; time <= 210s; time += 5s) CHECK(one.at(time, few_hits, {}) == decision::hold);
  CHECK(one.at(215s, few_hits, {}) == decision::roll_back);
}

TEST_CASE("a silent release, all traffic at once, is rolled back by what needs no baseline") {
  rollout one({}, {{1'000, 60s}});
  for (nanoseconds time = 5s; time <= 30s; time += 5s) CHECK(one.at(time, bad_window(), {}) == decision::hold);
  CHECK(one.at(35s, bad_window(), {}) == decision::roll_back);
}

TEST_CASE("a rollback is latched: health afterwards changes nothing") {
  rollout one;
  one.every(5s, 35s, &rollout::bad);
  CHECK(one.every(40s, 1'000s, &rollout::good) == decision::hold);
  CHECK(one.controller.state() == rollout_state::rolled_back);
  CHECK(one.controller.split().candidate == 0);
}

TEST_CASE("a violation of isolation rolls back at once, without enough queries, before the next evaluation, and in the warm-up") {
  rules by;
  by.warm_up = 60s;
  rollout one(by);
  CHECK(one.good(5s) == decision::hold);
  CHECK_FALSE(one.controller.due(5'001ms));
  CHECK(one.at(5'001ms, {.queries = 1, .isolation_violations = 1}, {}) == decision::roll_back);
  CHECK(one.controller.decided_at() == 5'001ms);
  CHECK(one.controller.reason() == "the candidate violated isolation");
  REQUIRE(one.controller.alerts().size() == 1);
  CHECK(one.controller.alerts()[0] == alert_record{"isolation", 5'001ms, 5'001ms, std::nullopt});
  CHECK(one.controller.next_evaluation() == 10s);
}

TEST_CASE("a violation of isolation by the baseline or the stable build is not the candidate's") {
  rollout one;
  one.read.stable.isolation_violations = 1;
  CHECK(one.at(5s, good_window(), {.queries = 200, .isolation_violations = 1}) == decision::hold);
}

TEST_CASE("the warm-up judges nothing, and its end begins the count") {
  rules by;
  by.warm_up = 20s;
  rollout one(by);
  CHECK(one.every(5s, 15s, &rollout::bad) == decision::hold);
  CHECK(one.controller.evaluations().back().warming_up);
  CHECK(one.every(20s, 45s, &rollout::bad) == decision::hold);
  CHECK_FALSE(one.controller.evaluations().back().warming_up);
  CHECK(one.bad(50s) == decision::roll_back);
}

TEST_CASE("the warm-up is no part of the hold of a step") {
  rules by;
  by.warm_up = 20s;
  rollout one(by);
  CHECK(one.every(5s, 70s, &rollout::good) == decision::hold);
  CHECK(one.good(75s) == decision::next_step);
}

TEST_CASE("a clock that jumps ahead is no persistence and no health") {
  SECTION("bad") {
    rollout one;
    one.every(5s, 20s, &rollout::bad);  // 15 s
    CHECK(one.bad(3'600s) == decision::hold);
    CHECK(one.every(3'605s, 3'610s, &rollout::bad) == decision::hold);  // 25 s
    CHECK(one.bad(3'615s) == decision::roll_back);
  }
  SECTION("good") {
    rollout one;
    one.every(5s, 30s, &rollout::good);
    CHECK(one.good(3'600s) == decision::hold);
    CHECK(one.every(3'605s, 3'625s, &rollout::good) == decision::hold);
    CHECK(one.good(3'630s) == decision::next_step);
  }
}

TEST_CASE("a clock that was set back stops nothing") {
  rollout one;
  one.every(3'605s, 3'620s, &rollout::bad);  // 15 s
  CHECK(one.controller.due(100s));
  CHECK(one.bad(100s) == decision::hold);
  CHECK(one.controller.next_evaluation() == 105s);
  CHECK(one.every(105s, 110s, &rollout::bad) == decision::hold);
  CHECK(one.bad(115s) == decision::roll_back);
}

TEST_CASE("evaluations are due every interval from the beginning on, and missed ones are not made up for") {
  rollout one;
  CHECK_FALSE(one.controller.due(4'999ms));
  CHECK(one.controller.due(5s));
  one.good(7s);
  CHECK(one.controller.next_evaluation() == 10s);
  one.good(31s);
  CHECK(one.controller.next_evaluation() == 35s);
}

TEST_CASE("alerts have their times: pending, firing, resolved when the candidate serves nobody any more") {
  rollout one;
  one.good(5s);
  one.every(10s, 40s, &rollout::bad);
  REQUIRE(one.controller.alerts().size() == 2);
  CHECK(one.controller.alerts()[0] == alert_record{"similarity", 10s, 40s, std::nullopt});
  CHECK(one.controller.alerts()[1] == alert_record{"anomaly", 10s, 40s, std::nullopt});
  CHECK(one.controller.alerts()[1].state() == alert_state::firing);
  one.nothing(45s);
  CHECK(one.controller.alerts()[0] == alert_record{"similarity", 10s, 40s, 45s});
  CHECK(one.controller.alerts()[1].state() == alert_state::resolved);
}

TEST_CASE("an alert that was pending only is told as resolved without having fired") {
  rollout one;
  one.every(5s, 10s, &rollout::bad);
  one.good(15s);
  REQUIRE(one.controller.alerts().size() == 2);
  CHECK(one.controller.alerts()[1] == alert_record{"anomaly", 5s, std::nullopt, 15s});
}

TEST_CASE("a window longer than the interval looks back beyond the evaluation before") {
  rules by;
  by.window = 10s;
  by.queries_min = 400;
  rollout one(by);
  one.good(5s);
  CHECK(one.controller.evaluations().back().judged.overall == judgement::no_data);
  one.good(10s);
  CHECK(one.controller.evaluations().back().window.candidate.queries == 400);
  one.good(15s);
  CHECK(one.controller.evaluations().back().window.candidate.queries == 400);
  CHECK(one.controller.evaluations().back().judged.overall == judgement::good);
}

TEST_CASE("another rollout begins at its first step, and knows nothing of the one before") {
  rollout one;
  one.every(5s, 35s, &rollout::bad);
  REQUIRE(one.controller.state() == rollout_state::rolled_back);
  one.controller.begin(100s, one.read);
  CHECK(one.controller.state() == rollout_state::ramping);
  CHECK(one.controller.split() == traffic_split{900, 50, 50});
  CHECK(one.controller.alerts().empty());
  CHECK_FALSE(one.controller.decided_at());
  CHECK(one.every(105s, 335s, &rollout::good) == decision::next_step);
  CHECK(one.at(340s, good_window(), {}) == decision::promote);
}

TEST_CASE("a violation of isolation before a rollout is none of it") {
  rollout one;
  CHECK(one.at(5s, {.queries = 200, .isolation_violations = 1}, good_window()) == decision::roll_back);
  one.controller.begin(10s, one.read);
  CHECK(one.good(15s) == decision::hold);
  CHECK(one.controller.state() == rollout_state::ramping);
}

TEST_CASE("nothing is decided before the first rollout") {
  rollout_controller idle({}, {{50, 60s}});
  CHECK_FALSE(idle.due(100s));
  CHECK(idle.evaluate(5s, {}) == decision::hold);
  CHECK(idle.split() == traffic_split{1'000, 0, 0});
}

TEST_CASE("the baseline gets as much as the candidate while there is as much") {
  CHECK(split_for(500) == traffic_split{0, 500, 500});
  CHECK(split_for(700) == traffic_split{0, 700, 300});
  CHECK(split_for(1) == traffic_split{998, 1, 1});
}

}  // namespace
}  // namespace kvrace::monitor
