#include "scenarios/traffic.h"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <queue>
#include <sstream>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "reports/report.h"
#include "scenarios/loader.h"
#include "scenarios/outcome.h"
#include "scenarios/program.h"
#include "scenarios/traffic_account.h"

using namespace kvrace;
using namespace kvrace::scenarios;
using std::chrono::nanoseconds;

namespace {

traffic shape_of(double qps, std::uint64_t requests, std::uint64_t seed = 1) {
  traffic shape;
  shape.seed = seed;
  shape.qps = qps;
  shape.requests = requests;
  shape.tick = {};
  return shape;
}

scenario scenario_of(traffic shape, std::uint32_t capacity_blocks = 64, const std::vector<std::string>& flaws = {}) {
  scenario asked;
  asked.name = "test";
  asked.cache.configuration = {
      .locking = "mutex", .capacity_blocks = capacity_blocks, .tokens_per_block = 4, .hash_bits = 64, .flaws = flaws};
  asked.steps_max = 1'000'000'000;
  asked.expect.verdict = verdict::not_found;
  asked.traffic = std::move(shape);
  return asked;
}

// About 10 requests in flight at 800 a second.
traffic busy(std::uint64_t requests) {
  traffic shape = shape_of(800, requests);
  shape.tick = std::chrono::milliseconds(1);
  shape.times.output_tokens = 20;
  shape.zipf_exponent = 1.0;
  shape.tenants = 2;
  shape.tree_depth = 3;
  shape.tree_fanout = 5;
  return shape;
}

struct outcome {
  kvrace::result result;
  reports::traffic_facts facts;
};
outcome search_of(const scenario& asked) {
  traffic_account account(*asked.traffic);
  kvrace::result result = search_for_violations(asked, nullptr, &account);
  return {std::move(result), account.facts()};
}

std::string report_of(const scenario& asked) {
  outcome found = search_of(asked);
  found.result.time_s = 0;
  reports::report report = make_report(asked, std::move(found.result), "run");
  report.traffic = std::move(found.facts);
  std::ostringstream text;
  reports::write_json(text, std::span(&report, 1));
  return std::move(text).str();
}

std::vector<nanoseconds> times_of(const traffic& shape) {
  arrival_times times(shape);
  std::vector<nanoseconds> all;
  for (nanoseconds time{}; times.next(time);) all.push_back(time);
  return all;
}

std::uint64_t numerator(const reports::traffic_window& window, const std::string& name) {
  for (const reports::rate& rate : window.rates)
    if (rate.name == name) return rate.numerator;
  return 0;
}

}  // namespace

TEST_CASE("arrivals are a Poisson process: exponential waits that know nothing of each other") {
  constexpr std::uint64_t count = 400'000;
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    const std::vector<nanoseconds> times = times_of(shape_of(800, count, seed));
    REQUIRE(times.size() == count);
    std::vector<double> waits;
    nanoseconds before{};
    for (const nanoseconds time : times) {
      REQUIRE(time >= before);
      waits.push_back(static_cast<double>((time - before).count()) / 1'250'000.0);  // in means
      before = time;
    }
    double sum = 0;
    double squares = 0;
    double products = 0;
    double longer_than_mean = 0;
    for (std::size_t i = 0; i < waits.size(); ++i) {
      sum += waits[i];
      squares += (waits[i] - 1) * (waits[i] - 1);
      if (i > 0) products += (waits[i] - 1) * (waits[i - 1] - 1);
      if (waits[i] > 1) ++longer_than_mean;
    }
    const auto n = static_cast<double>(count);
    // Each within five standard errors: 1/sqrt n, sqrt(8/n), 1/sqrt n, sqrt(p(1-p)/n).
    CHECK(sum / n == Approx(1).margin(0.008));
    CHECK(squares / n == Approx(1).margin(0.023));
    CHECK(products / n == Approx(0).margin(0.008));
    CHECK(longer_than_mean / n == Approx(0.36788).margin(0.004));
  }
}

TEST_CASE("the same seed gives the same arrivals on every machine") {
  const std::vector<nanoseconds> times = times_of(shape_of(800, 5, 7));
  CHECK(times == std::vector<nanoseconds>{nanoseconds(2476372), nanoseconds(5891194), nanoseconds(7462067), nanoseconds(9526262),
                                          nanoseconds(9877608)});
  CHECK(times_of(shape_of(800, 100, 7)) == times_of(shape_of(800, 100, 7)));
  CHECK(times_of(shape_of(800, 100, 7)) != times_of(shape_of(800, 100, 8)));
}

TEST_CASE("traffic ends after its requests or its duration, and arrives on its ticks") {
  CHECK(times_of(shape_of(800, 17)).size() == 17);
  traffic shape = shape_of(800, 0);
  shape.requests.reset();
  shape.duration = std::chrono::seconds(10);
  const std::vector<nanoseconds> exact = times_of(shape);
  CHECK(exact.size() == Approx(8'000).margin(450));
  CHECK(exact.back() < std::chrono::seconds(10));
  shape.tick = std::chrono::milliseconds(3);
  const std::vector<nanoseconds> ticking = times_of(shape);
  REQUIRE(ticking.size() == exact.size());
  for (std::size_t i = 0; i < exact.size(); ++i) {
    CHECK(ticking[i] % shape.tick == nanoseconds(0));
    CHECK(ticking[i] >= exact[i]);
    CHECK(ticking[i] - exact[i] < shape.tick);
  }
}

TEST_CASE("what arrives follows the mix, the tenants and the popularity of prompts") {
  traffic shape = busy(20'000);
  shape.mix = {.lookup = 1, .serve = 2, .invalidate = 1};
  shape.cancellation_probability = 0.5;
  shape.cancellation_points = {cache::cancel_point::after_reserve};
  arrival_stream stream(shape, 4);
  std::size_t kinds[3] = {};
  std::size_t cancelled = 0;
  std::size_t of_second_tenant = 0;
  std::size_t most_popular = 0;
  arrival each;
  while (stream.next(each)) {
    ++kinds[static_cast<std::size_t>(each.what)];
    if (each.what == arrival::kind::invalidate) continue;
    REQUIRE(each.prompt.tokens.size() == 13);
    of_second_tenant += each.prompt.owner.tenant == "tenant-2" ? 1 : 0;
    most_popular += each.prompt.tokens[8] == 31 ? 1 : 0;  // the first leaf
    if (each.what == arrival::kind::serve) cancelled += each.cancel == cache::cancel_point::after_reserve ? 1 : 0;
  }
  CHECK(kinds[0] == Approx(5'000).margin(350));
  CHECK(kinds[1] == Approx(10'000).margin(350));
  CHECK(kinds[2] == Approx(5'000).margin(350));
  CHECK(cancelled == Approx(5'000).margin(350));
  CHECK(of_second_tenant == Approx(7'500).margin(350));
  CHECK(most_popular == Approx(15'000 / 5.4).margin(350));  // 1 / (1 + 1/2 + ... + 1/125)
}

TEST_CASE("every arrival ends in exactly one way") {
  traffic shape = busy(5'000);
  shape.mix = {.lookup = 100, .serve = 900, .invalidate = 10};
  shape.cancellation_probability = 0.2;
  shape.cancellation_points = {cache::cancel_point::after_lookup, cache::cancel_point::after_reserve,
                               cache::cancel_point::after_fill};
  // 12 blocks are too few for all requests in flight.
  for (const std::uint32_t capacity_blocks : {64u, 12u}) {
    const auto [result, facts] = search_of(scenario_of(shape, capacity_blocks));
    CHECK(result.verdict == verdict::not_found);
    const reports::traffic_window& total = facts.total;
    CHECK(total.arrivals == 5'000);
    CHECK(total.completed + total.cancelled + total.invalidations == total.arrivals);
    CHECK(total.cancelled > 500);
    CHECK(total.invalidations > 10);
    CHECK((total.starved > 0) == (capacity_blocks == 12));
    CHECK(total.starved <= total.completed + total.cancelled);
    CHECK(numerator(total, "pollution") == 0);
  }
}

TEST_CASE("windows add up to the total, and to the metrics of the search") {
  traffic shape = busy(4'000);
  shape.window = std::chrono::milliseconds(500);
  scenario asked = scenario_of(shape);
  asked.search.runs = 3;
  const auto [result, facts] = search_of(asked);
  REQUIRE(facts.windows.size() == 10);
  reports::traffic_window sum;
  std::uint64_t hits = 0;
  double length_s = 0;
  for (std::size_t i = 0; i < facts.windows.size(); ++i) {
    const reports::traffic_window& window = facts.windows[i];
    CHECK(window.start_s == Approx(0.5 * static_cast<double>(i)));
    if (i + 1 < facts.windows.size()) CHECK(window.length_s == Approx(0.5));
    if (i + 1 < facts.windows.size())
      CHECK(window.qps_offered == Approx(static_cast<double>(window.arrivals) / 3 / window.length_s));
    CHECK(window.latency_ms.p50 <= window.latency_ms.p90);
    CHECK(window.latency_ms.p90 <= window.latency_ms.p99);
    CHECK(window.latency_ms.p99 <= window.latency_ms.max);
    sum.arrivals += window.arrivals;
    sum.completed += window.completed;
    hits += numerator(window, "hit");
    length_s += window.length_s;
  }
  CHECK(sum.arrivals == 3 * 4'000);
  CHECK(sum.completed == facts.total.completed);
  CHECK(length_s == Approx(facts.total.length_s));
  for (const auto& [name, value] : result.metrics) {
    if (name == "requests_completed") CHECK(value == sum.completed);
    if (name == "tokens_hit") CHECK(value == hits);
  }
}

TEST_CASE("the offered load is that of the arrivals, however long the queue takes to drain") {
  traffic shape = shape_of(800, 4'000);
  shape.workers = 1;
  const auto [result, facts] = search_of(scenario_of(shape));
  REQUIRE(facts.total.length_s > 10);  // one worker takes far longer than the five seconds of arrivals
  CHECK(facts.total.qps_offered == Approx(800).epsilon(0.05));
  CHECK(facts.total.qps_reached < 400);
  CHECK(facts.windows.back().qps_offered == Approx(800).epsilon(0.2));
}

TEST_CASE("no more requests are in flight than there are workers, and the others wait") {
  for (const unsigned workers : {1u, 5u, 64u}) {
    traffic shape = busy(3'000);
    shape.workers = workers;
    const auto [result, facts] = search_of(scenario_of(shape));
    CHECK(result.counts.tasks_max == workers);
    CHECK(facts.total.completed == 3'000);
    CHECK(facts.total.in_flight.max <= workers);
    CHECK(facts.total.in_flight.mean <= static_cast<double>(workers));
    // 10 ms of decoding alone are worth 8 workers.
    CHECK((facts.total.queued.max > 0) == (workers < 8));
    if (workers < 8) CHECK(facts.total.in_flight.max == workers);
  }
}

// Kiefer and Wolfowitz: first come, first served on `workers` servers, each service of the same length.
TEST_CASE("requests are served first come, first served") {
  for (const unsigned workers : {1u, 4u}) {
    traffic shape = shape_of(workers == 1 ? 95 : 380, 20'000, 3);
    shape.workers = workers;
    shape.times = {.prefill_us_per_token = 0, .decode_us_per_token = 10'000, .output_tokens = 1, .output_exponential = false};
    constexpr nanoseconds service = std::chrono::milliseconds(10);
    std::priority_queue<nanoseconds, std::vector<nanoseconds>, std::greater<>> free_at;
    for (unsigned i = 0; i < workers; ++i) free_at.push(nanoseconds(0));
    std::vector<double> latencies_ms;
    nanoseconds last{};
    nanoseconds waited{};
    for (const nanoseconds arrival : times_of(shape)) {
      const nanoseconds start = std::max(arrival, free_at.top());
      free_at.pop();
      free_at.push(start + service);
      last = std::max(last, start + service);
      waited += start - arrival;
      latencies_ms.push_back(static_cast<double>((start + service - arrival).count()) / 1e6);
    }
    std::sort(latencies_ms.begin(), latencies_ms.end());
    const auto [result, facts] = search_of(scenario_of(shape));
    REQUIRE(facts.total.completed == 20'000);
    CHECK(facts.total.latency_ms.max == latencies_ms.back());
    CHECK(latencies_ms.back() > 50);  // or nobody has waited long enough to be overtaken
    CHECK(facts.total.latency_ms.p50 == Approx(latencies_ms[9'999]).epsilon(0.008));
    CHECK(facts.total.latency_ms.p99 == Approx(latencies_ms[19'799]).epsilon(0.008));
    CHECK(facts.total.length_s == Approx(static_cast<double>(last.count()) / 1e9));
    CHECK(facts.total.queued.mean == Approx(static_cast<double>(waited.count()) / static_cast<double>(last.count())));
    CHECK(facts.total.in_flight.mean ==
          Approx(static_cast<double>(20'000 * service.count()) / static_cast<double>(last.count())));
  }
}

TEST_CASE("prefill takes time for what is not cached only") {
  traffic shape = shape_of(10, 50);
  shape.tree_fanout = 1;  // one prompt: one block and a last token
  shape.times = {.prefill_us_per_token = 1'000, .decode_us_per_token = 0, .output_tokens = 0, .output_exponential = false};
  const auto [result, facts] = search_of(scenario_of(shape));
  CHECK(facts.total.latency_ms.max == 5);
  CHECK(facts.total.latency_ms.p50 == Approx(1).epsilon(0.008));
  CHECK(numerator(facts.total, "hit") == 49 * 4);
}

TEST_CASE("the same scenario and seed give the same bytes, another seed another schedule of the same arrivals") {
  scenario asked = scenario_of(busy(2'000), 24);
  const std::string first = report_of(asked);
  CHECK(report_of(asked) == first);
  const outcome one = search_of(asked);
  asked.search.seed = 2;
  const outcome other = search_of(asked);
  CHECK(report_of(asked) != first);
  CHECK(one.result.counts.decisions != other.result.counts.decisions);
  REQUIRE(one.facts.windows.size() == other.facts.windows.size());
  for (std::size_t i = 0; i < one.facts.windows.size(); ++i)
    CHECK(one.facts.windows[i].arrivals == other.facts.windows[i].arrivals);
}

TEST_CASE("a finding in traffic is replayed, and the rates of its run are counted once and to the end") {
  traffic shape = busy(20'000);
  shape.times.deferral_us = 2'000;
  scenario asked = scenario_of(shape, 80, {"hit_not_pinned"});
  asked.expect = {.violation = "pollution", .verdict = std::nullopt};
  const auto [result, facts] = search_of(asked);
  REQUIRE(result.verdict == verdict::violation);
  REQUIRE(result.findings.size() == 1);
  const finding& found = result.findings.front();
  CHECK(found.oracle == "pollution");
  CHECK(facts.total.arrivals == 20'000);
  CHECK(facts.total.completed == 20'000);
  CHECK(numerator(facts.total, "pollution") > 10);
  const kvrace::result again = follow(asked, found.schedule);
  REQUIRE(again.verdict == verdict::violation);
  CHECK(again.findings.front().oracle == found.oracle);
  CHECK(again.findings.front().trace_digest == found.trace_digest);
  CHECK(again.findings.front().step == found.step);
  // A schedule as long as this one is not for a command line.
  const std::string command = make_report(asked, result, "run").replay_commands.front();
  CHECK(command.size() < 200);
  CHECK(command.find("--report") == std::string::npos);  // no file is written that nobody asked for
}

TEST_CASE("a longer stay outside of a critical section pollutes more, and none without the flaw") {
  const auto polluted = [](double deferral_us, const std::vector<std::string>& flaws) {
    traffic shape = busy(10'000);
    shape.times.deferral_us = deferral_us;
    return numerator(search_of(scenario_of(shape, 80, flaws)).facts.total, "pollution");
  };
  const std::uint64_t little = polluted(500, {"hit_not_pinned"});
  CHECK(little > 0);
  CHECK(polluted(5'000, {"hit_not_pinned"}) > 2 * little);
  CHECK(polluted(5'000, {}) == 0);
}

TEST_CASE("ghosts are counted in the window in which they are found") {
  traffic shape = busy(4'000);
  shape.times = {.prefill_us_per_token = 10,
                 .decode_us_per_token = 0,
                 .output_tokens = 0,
                 .output_exponential = false,
                 .deferral_us = 2'000};
  scenario asked = scenario_of(shape, 160, {"metadata_second_section"});
  const auto [result, facts] = search_of(asked);
  REQUIRE(facts.windows.size() == 5);
  for (const reports::traffic_window& window : facts.windows) CHECK(numerator(window, "ghost") > 0);
}

TEST_CASE("traffic that is cut short reports what it has measured, and claims nothing more") {
  struct impatient : search_observer {
    bool on_progress(const search_progress& progress) override { return progress.run_virtual_s < 5; }
  } observer;
  const scenario asked = scenario_of(busy(50'000'000));
  traffic_account account(*asked.traffic);
  const kvrace::result result = search_for_violations(asked, &observer, &account);
  CHECK(result.verdict == verdict::incomplete);
  CHECK(result.interrupted);
  const reports::traffic_facts facts = account.facts();
  CHECK(facts.total.length_s >= 5);
  CHECK(facts.total.arrivals >= 3'500);
  CHECK(facts.total.completed + 64 >= facts.total.arrivals);
}

TEST_CASE("memory stays flat over a million requests", "[exhaustive]") {
  const auto resident_bytes = [] {
    std::ifstream status("/proc/self/statm");
    long pages = 0;
    status >> pages >> pages;
    return pages * 4096;
  };
  for (const char* locking : {"mutex", "rwlock"}) {
    const auto run = [&](std::uint64_t requests) {
      scenario asked = scenario_of(busy(requests));
      asked.cache.configuration.locking = locking;
      asked.traffic->window = std::chrono::seconds(10'000);
      CHECK(search_of(asked).facts.total.completed == requests);
    };
    run(50'000);
    const long before = resident_bytes();
    run(1'000'000);
    CHECK(resident_bytes() - before < 1'000'000);
  }
}
