// Schedules print and parse; what is none is refused by name.
#include <kvrace/schedule.h>

#include "strategies/random_source.h"
#include "test_support.h"

using namespace kvrace::testing;
using kvrace::deviation;
using kvrace::schedule;

namespace {

std::string error_of(const std::string& text) {
  std::string error;
  const auto parsed = schedule::parse(text, &error);
  INFO(text);
  CHECK_FALSE(parsed);
  return error;
}

}  // namespace

TEST_CASE("a schedule prints as its items in order, the empty one as baseline") {
  CHECK(schedule{}.to_string() == "baseline");
  schedule some;
  some.deviations = {
      {deviation::kind::switch_to, 1, 3, 2}, {deviation::kind::value, 1, 9, 1}, {deviation::kind::switch_to, 64, 1, 0}};
  CHECK(some.to_string() == "1.3:2,1.9=1,64.1:0");
  CHECK(schedule::parse("1.3:2,1.9=1,64.1:0") == some);
  CHECK(schedule::parse("baseline") == schedule{});
}

TEST_CASE("the setting stands in front") {
  schedule some;
  some.deviations = {{deviation::kind::switch_to, 1, 3, 2}};
  some.set_up = schedule::setting::timeouts_any_time;
  CHECK(some.to_string() == "timeouts/1.3:2");
  CHECK(schedule::parse("timeouts/1.3:2") == some);
  some.set_up = schedule::setting::search;
  CHECK(some.to_string() == "search/1.3:2");
  CHECK(schedule::parse("search/1.3:2") == some);
  some.deviations.clear();
  CHECK(some.to_string() == "search/baseline");
  CHECK(schedule::parse("search/baseline") == some);
  CHECK_FALSE(schedule::parse("1.3:2") == some);
}

TEST_CASE("parsing what was printed gives the same schedule") {
  for (std::uint64_t seed = 1; seed <= 2'000; ++seed) {
    kvrace::detail::random_source random(seed, 0);
    schedule made;
    made.set_up = static_cast<schedule::setting>(random.below(6));
    made.deviations.resize(random.below(12));
    for (deviation& each : made.deviations) {
      each.what = random.below(2) == 0 ? deviation::kind::switch_to : deviation::kind::value;
      each.task = static_cast<unsigned>(random.below(65));
      each.operation = random.next() >> random.below(64);
      each.answer = each.what == deviation::kind::switch_to ? random.below(65) : random.next() >> random.below(64);
    }
    const std::string text = made.to_string();
    std::string error;
    const auto parsed = schedule::parse(text, &error);
    INFO(text << ' ' << error);
    REQUIRE(parsed);
    REQUIRE(*parsed == made);
    REQUIRE(parsed->to_string() == text);
  }
}

TEST_CASE("a malformed item is named with its place and what was expected") {
  for (const char* item : {"",
                           "1",
                           "1.",
                           "1.2",
                           "1.2:",
                           "1.2=",
                           ".2:3",
                           "1:2",
                           "a.2:3",
                           "1.b:3",
                           "1.2:c",
                           "1.2;3",
                           "1.2:3 ",
                           " 1.2:3",
                           "1.2:3x",
                           "1.2::3",
                           "1..2:3",
                           "-1.2:3",
                           "1.-2:3",
                           "1.2:-3",
                           "+1.2:3",
                           "65.1:2",
                           "1.1:65",
                           "1.18446744073709551616:2",
                           "1.2=18446744073709551616",
                           "99999999999999999999.1:1",
                           "Baseline",
                           "baseline ",
                           "0x1.2:3",
                           "1.2:3\n",
                           "search/1.2:3",
                           "timeouts/baseline"}) {
    if (std::string(item).find('/') == std::string::npos) {  // the setting may stand in front only
      const std::string first = error_of(std::string(item) + ",1.1:2");
      CHECK(contains(first, "item 1 '" + std::string(item) + "'"));
      CHECK(contains(first, "expected TASK.OPERATION:TASK or TASK.OPERATION=OUTCOME"));
    }
    const std::string third = error_of("1.1:2,1.2=0," + std::string(item));
    CHECK(contains(third, "item 3 '" + std::string(item) + "'"));
  }
  CHECK(contains(error_of("baseline,1.1:2"), "item 1 'baseline'"));
  CHECK(contains(error_of(","), "item 1 ''"));
  CHECK(contains(error_of("1.1:2,"), "item 2 ''"));
  CHECK(contains(error_of("search/"), "item 1 ''"));
  CHECK(contains(error_of("elsewhere/1.1:2"), "item 1 'elsewhere/1.1:2'"));
}

TEST_CASE("a long malformed item is named by its beginning") {
  const std::string error = error_of(std::string(10'000, 'x'));
  CHECK(error.size() < 300);
  CHECK(contains(error, std::string(40, 'x')));
}

TEST_CASE("random bytes never parse to what does not print back") {
  const std::string letters = "0123456789.:=,b/ -";
  for (std::uint64_t seed = 1; seed <= 5'000; ++seed) {
    kvrace::detail::random_source random(seed, 1);
    std::string text(random.below(14), ' ');
    for (char& each : text) each = letters[random.below(letters.size())];
    if (const auto parsed = schedule::parse(text)) {
      INFO(text);
      REQUIRE(schedule::parse(parsed->to_string()) == parsed);
    }
  }
}

TEST_CASE("parsing without a place for the error works") { CHECK_FALSE(schedule::parse("nonsense")); }
