// What recorded traffic costs: reading it, exact hits over it, and its replay under the scheduler with races and oracles on. A
// public trace of an hour (12,031 requests, 288,500 blocks) is to be replayed at 600 requests a second, and at 20 times real
// time: in a second.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>
#include <vector>

#include "scenarios/loader.h"
#include "scenarios/program.h"
#include "scenarios/random.h"
#include "scenarios/recorded_trace.h"
#include "scenarios/trace_hits.h"

namespace {

using namespace kvrace::scenarios;

constexpr unsigned requests = 12'000;

// Conversations that go on from earlier ones, of 24 blocks on average, on a tick of three seconds: shaped like the public trace.
const std::string& trace() {
  static const std::string text = [] {
    random_engine random(1);
    std::vector<std::vector<std::uint32_t>> talks;
    std::uint32_t next = 0;
    std::string lines;
    for (unsigned request = 0; request < requests; ++request) {
      std::vector<std::uint32_t> prompt;
      if (!talks.empty() && random.chance(0.4))
        prompt = talks[talks.size() - 1 - random.below(std::min<std::size_t>(talks.size(), 2'000))];
      for (std::uint64_t more = 1 + random.below(30); more > 0; --more) prompt.push_back(next++);
      lines += R"({"timestamp": )" + std::to_string(request / 10 * 3'000) + R"(, "input_length": )" +
               std::to_string(prompt.size() * 512 - 1) + R"(, "output_length": 343, "hash_ids": [)";
      for (const std::uint32_t block : prompt) lines += std::to_string(block) + (block == prompt.back() ? "]}\n" : ", ");
      prompt.pop_back();
      talks.push_back(std::move(prompt));
    }
    return lines;
  }();
  return text;
}

void read_trace(benchmark::State& state) {
  for (auto _ : state) {
    trace_reader reader(bytes_of(trace()), 512);
    trace_request request;
    while (reader.next(request)) benchmark::DoNotOptimize(request.blocks.data());
    if (reader.error()) return state.SkipWithError("the trace is refused");
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(trace().size()) * static_cast<std::int64_t>(state.iterations()));
}

void count_trace_hits(benchmark::State& state, const std::string& locking) {
  trace_question question;
  question.capacities = {30'000};
  question.locking = locking;
  std::uint64_t references = 0;
  for (auto _ : state) {
    trace_reader reader(bytes_of(trace()), 512);
    for (const hit_count& each : count_hits(reader, question).hits) references += each.references;
  }
  state.counters["references/s"] = benchmark::Counter(static_cast<double>(references), benchmark::Counter::kIsRate);
}

void replay_trace(benchmark::State& state, const std::string& locking) {
  auto recorded = recorded_trace::read(bytes_of(trace()), {.jitter = std::chrono::seconds(3)});
  scenario asked;
  asked.name = "bench";
  asked.cache.configuration.locking = locking;
  asked.cache.configuration.capacity_blocks = 30'000;
  asked.cache.configuration.tokens_per_block = 2;
  asked.steps_max = 1'000'000'000;
  asked.expect.verdict = kvrace::verdict::not_found;
  asked.traffic.emplace();
  asked.traffic->trace = std::get<std::shared_ptr<const recorded_trace>>(std::move(recorded));
  asked.traffic->qps = 600;
  asked.traffic->workers = 8;
  asked.traffic->times = {.prefill_us_per_token = 0.6, .decode_us_per_token = 15};
  double virtual_s = 0;
  std::uint64_t served = 0;
  for (auto _ : state) {
    ++asked.search.seed;
    traffic_account account(*asked.traffic);
    if (!search_for_violations(asked, nullptr, &account).passed()) return state.SkipWithError("an oracle failed");
    const kvrace::reports::traffic_facts facts = account.facts();
    virtual_s += facts.total.length_s;
    served += facts.total.completed;
  }
  state.counters["requests/s"] = benchmark::Counter(static_cast<double>(served), benchmark::Counter::kIsRate);
  state.counters["times real time"] = benchmark::Counter(virtual_s, benchmark::Counter::kIsRate);
}

BENCHMARK(read_trace)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(count_trace_hits, plain_lru, "")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(count_trace_hits, mutex, "mutex")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(replay_trace, mutex, "mutex")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(replay_trace, rwlock, "rwlock")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(replay_trace, epoch, "epoch")->Unit(benchmark::kMillisecond);

}  // namespace
