// Traffic: requests that arrive in virtual time, whether or not the ones before them are done. Drawn as a stream from a seed of
// its own, so that the search's seed changes the schedule and never the question.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <kvrace/cache/simulation.h>

#include "scenarios/random.h"
#include "scenarios/recorded_trace.h"
#include "scenarios/trace_prompt.h"

namespace kvrace::scenarios {

// The "traffic" part of a scenario.
struct traffic {
  std::uint64_t seed = 0;
  double qps = 800;  // mean rate: of a Poisson process, or to which the times of the trace are scaled
  // How it ends: one of the three is set. The trace gives arrivals and lengths, and prompts as far as it tells them.
  std::optional<std::uint64_t> requests = {};
  std::optional<std::chrono::nanoseconds> duration = {};
  std::shared_ptr<const recorded_trace> trace = {};
  unsigned workers = 64;  // requests in flight, at most; the others wait, first come, first served
  std::chrono::nanoseconds window = std::chrono::seconds(1);
  std::chrono::nanoseconds tick = std::chrono::milliseconds(1);  // 0: none
  // The last part of each period brings `factor` times as many requests; not with a trace. A factor of 0 is none.
  struct bursts {
    std::chrono::nanoseconds period = {};
    std::chrono::nanoseconds length = {};  // below the period
    double factor = 0;
  } burst = {};
  struct service {
    double prefill_us_per_token = 100;  // of a token that is not from the cache
    double decode_us_per_token = 500;
    double output_tokens = 50;  // mean
    bool output_exponential = true;  // false: every answer has the mean length
    double deferral_us = 0;  // see cache::simulation_options::deferral
    [[nodiscard]] std::chrono::nanoseconds deferral() const {
      return std::chrono::nanoseconds(static_cast<std::int64_t>(deferral_us * 1'000));
    }
  } times = {};
  std::optional<double> zipf_exponent = {};  // nullopt: uniform
  unsigned tenants = 1;
  unsigned tree_depth = 1;
  unsigned tree_fanout = 4;
  struct weights {
    std::uint64_t lookup = 0;
    std::uint64_t serve = 1;
    std::uint64_t invalidate = 0;
  } mix = {};
  double high_priority_probability = 0;
  double cancellation_probability = 0;
  std::vector<cache::cancel_point> cancellation_points = {};  // drawn evenly

  [[nodiscard]] std::uint64_t requests_expected() const;
  [[nodiscard]] std::uint64_t windows_expected() const;
  // Blocks of all requests, at most.
  [[nodiscard]] std::uint64_t blocks_expected() const;
};

// One request, and everything that was drawn for it. Reused, so that its vectors keep their memory.
struct arrival {
  enum class kind : std::uint8_t { lookup, serve, invalidate };
  std::chrono::nanoseconds time{};
  kind what = kind::serve;
  cache::prompt prompt = {};  // not for invalidate
  cache::cancel_point cancel = cache::cancel_point::none;
  std::chrono::nanoseconds decode{};
  std::uint32_t recorded_tokens = 0;  // of the prompt in the trace, if there is one: each of its tokens here stands for many
};

// When requests arrive, on the ticks of the traffic.
class arrival_times {
 public:
  explicit arrival_times(const traffic&);
  // False once the traffic is over.
  bool next(std::chrono::nanoseconds& time);

 private:
  poisson_times times_;
  std::shared_ptr<const recorded_trace> trace_;
  [[nodiscard]] std::chrono::nanoseconds with_bursts(std::chrono::nanoseconds even) const;

  double stretch_;  // of the trace's times
  traffic::bursts burst_;
  std::size_t next_request_ = 0;  // of the trace
  std::uint64_t requests_left_;
  std::chrono::nanoseconds end_;
  std::chrono::nanoseconds tick_;
};

// What arrives, in order of time.
class arrival_stream {
 public:
  arrival_stream(const traffic&, std::uint32_t tokens_per_block);
  // Back to the first one.
  void restart();
  bool next(arrival&);

 private:
  void draw_prompt(arrival&);
  void take_prompt(arrival&);
  [[nodiscard]] std::chrono::nanoseconds draw_decode();

  traffic shape_;
  std::uint32_t tokens_per_block_;
  weighted_index leaf_;
  weighted_index kind_;
  std::vector<cache::identity> owners_;
  random_engine engine_;
  arrival_times times_;
  block_scale scale_;
  std::size_t next_request_ = 0;      // of the trace
  std::uint64_t next_block_ = 0;      // of the trace
  std::vector<std::uint32_t> blocks_;  // scratch: names of a prompt's blocks
};

}  // namespace kvrace::scenarios
