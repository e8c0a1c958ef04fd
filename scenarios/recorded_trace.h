// Recorded traffic as a scenario replays it.
//
// Read once, before anything runs: an execution may be repeated, and must not depend on what has become of the file. What is kept
// is small, 16 bytes a request and 4 a block, and bounded.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <variant>

#include "reports/input_error.h"
#include "scenarios/random.h"
#include "scenarios/trace_reader.h"

namespace kvrace::scenarios {

// More is refused: with these, a trace takes less than 400 MB.
inline constexpr std::uint64_t recorded_requests_max = 12'000'000;
inline constexpr std::uint64_t recorded_blocks_max = 40'000'000;
// In one prompt: as many as the largest cache has.
inline constexpr std::uint64_t recorded_prompt_blocks_max = 65'536;

struct recording_options {
  std::uint32_t tokens_per_block = 512;
  std::optional<std::uint64_t> requests = {};  // the first ones; nullopt: all
  // Recorded times are often those of a coarse clock. Each is moved by less than this and than the time to the next different
  // one, so that the order stays; drawn evenly.
  std::chrono::nanoseconds jitter = {};
  std::uint64_t seed = 0;
};

class recorded_trace {
 public:
  // The error's place is one in the trace.
  [[nodiscard]] static std::variant<std::shared_ptr<const recorded_trace>, input_error> read(byte_source source,
                                                                                             const recording_options& options);

  [[nodiscard]] std::size_t size() const { return requests_.size(); }
  [[nodiscard]] const trace_facts& facts() const { return facts_; }
  [[nodiscard]] std::uint32_t tokens_per_block() const { return tokens_per_block_; }
  // Requests a second, over the time that the recording takes; nullopt if it takes none.
  [[nodiscard]] std::optional<double> rate() const;

  // With the jitter.
  [[nodiscard]] std::chrono::nanoseconds time(std::size_t request) const {
    return std::chrono::nanoseconds(requests_[request].time_ns);
  }
  [[nodiscard]] std::uint32_t input_tokens(std::size_t request) const { return requests_[request].input_tokens; }
  [[nodiscard]] std::uint32_t output_tokens(std::size_t request) const { return requests_[request].output_tokens; }
  // The blocks of all requests, one behind the other: as many of each as it has begun. None in a trace without.
  [[nodiscard]] std::uint32_t block(std::uint64_t index) const { return blocks_[index]; }
  [[nodiscard]] std::uint64_t blocks_begun(std::size_t request) const {
    return (std::uint64_t{input_tokens(request)} + tokens_per_block_ - 1) / tokens_per_block_;
  }
  [[nodiscard]] bool has_blocks() const { return facts_.format == trace_format::json_lines; }
  // Begun by all requests, whether or not they are named.
  [[nodiscard]] std::uint64_t blocks_begun() const { return blocks_begun_; }

 private:
  struct record {
    std::int64_t time_ns;
    std::uint32_t input_tokens;
    std::uint32_t output_tokens;
  };

  void spread(std::size_t from, std::chrono::nanoseconds within, random_engine& random);
  [[nodiscard]] std::optional<input_error> take(trace_reader& trace, const recording_options& options);

  // Not vectors: those take twice the memory while they grow.
  std::deque<record> requests_;
  std::deque<std::uint32_t> blocks_;
  std::uint32_t tokens_per_block_ = 0;
  std::uint64_t blocks_begun_ = 0;
  std::chrono::nanoseconds length_{};
  trace_facts facts_;
};

}  // namespace kvrace::scenarios
