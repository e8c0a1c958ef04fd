#include "scenarios/recorded_trace.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace kvrace::scenarios {

using std::chrono::nanoseconds;

std::variant<std::shared_ptr<const recorded_trace>, input_error> recorded_trace::read(byte_source source,
                                                                                      const recording_options& options) {
  trace_reader trace(std::move(source), options.tokens_per_block);
  auto recorded = std::make_shared<recorded_trace>();
  if (std::optional<input_error> error = recorded->take(trace, options)) return *std::move(error);
  return recorded;
}

std::optional<input_error> recorded_trace::take(trace_reader& trace, const recording_options& options) {
  const auto too_large = [](std::uint64_t most, const char* what) {
    return input_error{
        "", "expected at most " + std::to_string(most) + " " + what + "; the key 'requests' takes the first ones only"};
  };
  tokens_per_block_ = options.tokens_per_block;
  random_engine random(options.seed);
  std::size_t tick = 0;  // the first request at the present recorded time
  trace_request next;
  while (requests_.size() < options.requests.value_or(~std::uint64_t{0}) && trace.next(next)) {
    if (requests_.size() == recorded_requests_max) return too_large(recorded_requests_max, "requests");
    if (blocks_.size() + next.blocks.size() > recorded_blocks_max) return too_large(recorded_blocks_max, "blocks of prompts");
    if (!requests_.empty() && next.time.count() != requests_.back().time_ns) {
      spread(tick, std::min(options.jitter, next.time - nanoseconds(requests_.back().time_ns)), random);
      tick = requests_.size();
    }
    requests_.push_back({next.time.count(), next.input_tokens, next.output_tokens});
    blocks_.insert(blocks_.end(), next.blocks.begin(), next.blocks.end());
    const std::uint64_t begun = blocks_begun(requests_.size() - 1);
    if (begun > recorded_prompt_blocks_max)
      return input_error{std::to_string(trace.line()), "expected at most " + std::to_string(recorded_prompt_blocks_max) +
                                                           " blocks in a prompt, not " + std::to_string(begun)};
    blocks_begun_ += begun;
  }
  if (trace.error()) return trace.error();
  spread(tick, options.jitter, random);
  facts_ = trace.facts();
  length_ = facts_.length + options.jitter;
  if (options.requests && requests_.size() < *options.requests)
    return input_error{"", "expected at least " + std::to_string(*options.requests) +
                               " requests, as the key 'requests' says, not " + std::to_string(requests_.size())};
  return std::nullopt;
}

// Moves the requests from this one on, all of the same time, within so much.
void recorded_trace::spread(std::size_t from, nanoseconds within, random_engine& random) {
  if (within.count() == 0) return;
  std::vector<std::int64_t> moves;
  for (std::size_t index = from; index < requests_.size(); ++index)
    moves.push_back(static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(within.count()))));
  std::sort(moves.begin(), moves.end());
  for (std::size_t index = from; index < requests_.size(); ++index) requests_[index].time_ns += moves[index - from];
}

std::optional<double> recorded_trace::rate() const {
  if (length_.count() == 0) return std::nullopt;
  return static_cast<double>(requests_.size()) * 1e9 / static_cast<double>(length_.count());
}

}  // namespace kvrace::scenarios
