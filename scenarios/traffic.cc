#include "scenarios/traffic.h"

#include <limits>

#include "scenarios/generator.h"

namespace kvrace::scenarios {
namespace {

using std::chrono::nanoseconds;

// The stream of what arrives is another than that of when: a longer game for a time must not shift a prompt.
constexpr std::uint64_t content_stream = 0x5851f42d4c957f2d;
// Names of blocks that no other request has: nodes of the prefix tree are far below.
constexpr std::uint32_t own_block = 0x8000'0000;

nanoseconds from_us(double us) { return nanoseconds(static_cast<std::int64_t>(us * 1'000)); }

std::vector<cache::identity> owners_of(const traffic& shape) {
  std::vector<cache::identity> owners;
  for (unsigned number = 1; number <= shape.tenants; ++number)
    owners.push_back({.model = "m",
                      .adapter = {},
                      .adapter_version = 0,
                      .tenant = shape.tenants > 1 ? "tenant-" + std::to_string(number) : std::string()});
  return owners;
}

std::vector<std::uint64_t> leaf_weights(const traffic& shape) {
  const auto leaves = static_cast<std::size_t>(leaves_of(shape.tree_depth, shape.tree_fanout));
  return shape.zipf_exponent ? zipf_weights(leaves, *shape.zipf_exponent) : std::vector<std::uint64_t>(leaves, 1);
}

}  // namespace

std::uint64_t traffic::requests_expected() const {
  if (trace) return trace->size();
  if (requests) return *requests;
  const double bursting =
      burst.factor > 0 ? static_cast<double>(burst.length.count()) / static_cast<double>(burst.period.count()) : 0;
  const double mean_qps = qps * (1 + bursting * (burst.factor - 1));
  return static_cast<std::uint64_t>(mean_qps * (static_cast<double>(duration->count()) / 1e9)) + 1;
}

std::uint64_t traffic::windows_expected() const {
  const double length_ns =
      duration ? static_cast<double>(duration->count()) : static_cast<double>(requests_expected()) / qps * 1e9;
  return static_cast<std::uint64_t>(length_ns / static_cast<double>(window.count())) + 1;
}

std::uint64_t traffic::blocks_expected() const { return trace ? trace->blocks_begun() : requests_expected() * tree_depth; }

arrival_times::arrival_times(const traffic& shape)
    : times_(shape.trace ? 1 : shape.qps, shape.seed),
      trace_(shape.trace),
      stretch_(trace_ ? trace_->rate().value_or(shape.qps) / shape.qps : 1),
      burst_(shape.burst),
      requests_left_(trace_ ? trace_->size() : shape.requests.value_or(std::numeric_limits<std::uint64_t>::max())),
      end_(shape.duration.value_or(nanoseconds::max())),
      tick_(shape.tick) {}

bool arrival_times::next(nanoseconds& time) {
  if (requests_left_ == 0) return false;
  --requests_left_;
  if (trace_)
    time = nanoseconds(static_cast<std::int64_t>(static_cast<double>(trace_->time(next_request_++).count()) * stretch_));
  else
    time = with_bursts(nanoseconds(times_.next_ns()));
  if (time >= end_) {
    requests_left_ = 0;
    return false;
  }
  if (tick_.count() != 0) time = (time + tick_ - nanoseconds(1)) / tick_ * tick_;
  return true;
}

// An even process, each period of it pressed together and stretched to what bursts make of it.
nanoseconds arrival_times::with_bursts(nanoseconds even) const {
  if (burst_.factor == 0) return even;
  const nanoseconds before = burst_.period - burst_.length;
  const auto within = static_cast<std::int64_t>(static_cast<double>(burst_.length.count()) * burst_.factor);
  const std::int64_t period = before.count() + within;
  const std::int64_t rest = even.count() % period;
  const nanoseconds start = even.count() / period * burst_.period;
  if (rest < before.count()) return start + nanoseconds(rest);
  return start + before + nanoseconds(static_cast<std::int64_t>(static_cast<double>(rest - before.count()) / burst_.factor));
}

arrival_stream::arrival_stream(const traffic& shape, std::uint32_t tokens_per_block)
    : shape_(shape),
      tokens_per_block_(tokens_per_block),
      leaf_(leaf_weights(shape)),
      kind_({shape.mix.lookup, shape.mix.serve, shape.mix.invalidate}),
      owners_(owners_of(shape)),
      engine_(shape.seed ^ content_stream),
      times_(shape) {
  if (shape.trace) scale_ = {.trace_tokens = shape.trace->tokens_per_block(), .cache_tokens = tokens_per_block};
}

void arrival_stream::restart() {
  engine_ = random_engine(shape_.seed ^ content_stream);
  times_ = arrival_times(shape_);
  next_request_ = 0;
  next_block_ = 0;
}

bool arrival_stream::next(arrival& to) {
  static constexpr arrival::kind kinds[] = {arrival::kind::lookup, arrival::kind::serve, arrival::kind::invalidate};
  if (!times_.next(to.time)) return false;
  to.what = kinds[kind_.draw(engine_)];
  to.cancel = cache::cancel_point::none;
  to.decode = {};
  if (shape_.trace) take_prompt(to);
  if (to.what == arrival::kind::invalidate) return true;
  to.prompt.owner = owners_[shape_.tenants > 1 ? engine_.below(shape_.tenants) : 0];
  if (shape_.high_priority_probability > 0)
    to.prompt.priority =
        engine_.chance(shape_.high_priority_probability) ? cache::priority_class::high : cache::priority_class::low;
  if (!shape_.trace) draw_prompt(to);
  if (to.what == arrival::kind::lookup) return true;
  to.decode =
      shape_.trace ? from_us(shape_.trace->output_tokens(next_request_ - 1) * shape_.times.decode_us_per_token) : draw_decode();
  if (shape_.cancellation_probability > 0 && engine_.chance(shape_.cancellation_probability))
    to.cancel = shape_.cancellation_points[engine_.below(shape_.cancellation_points.size())];
  return true;
}

void arrival_stream::draw_prompt(arrival& to) {
  write_prompt(shape_.tree_depth, shape_.tree_fanout, leaf_.draw(engine_), tokens_per_block_, to.prompt.tokens);
}

// Of a trace without names of blocks: the first ones are shared as in the prefix tree, the others its own.
void arrival_stream::take_prompt(arrival& to) {
  const recorded_trace& trace = *shape_.trace;
  const std::size_t request = next_request_++;
  const std::uint64_t begun = trace.blocks_begun(request);
  to.recorded_tokens = trace.input_tokens(request);
  blocks_.clear();
  if (trace.has_blocks()) {
    for (std::uint64_t block = 0; block < begun; ++block) blocks_.push_back(trace.block(next_block_ + block));
    next_block_ += begun;
  } else {
    write_prompt(shape_.tree_depth, shape_.tree_fanout, leaf_.draw(engine_), 1, blocks_);
    const std::size_t shared = shape_.tree_depth;
    blocks_.resize(static_cast<std::size_t>(begun));
    for (std::size_t block = shared; block < blocks_.size(); ++block)
      blocks_[block] = own_block | static_cast<std::uint32_t>(request);
  }
  write_trace_prompt(blocks_, to.recorded_tokens, scale_, to.prompt.tokens);
}

nanoseconds arrival_stream::draw_decode() {
  const nanoseconds mean = from_us(shape_.times.output_tokens * shape_.times.decode_us_per_token);
  if (!shape_.times.output_exponential) return mean;
  __extension__ using wide = unsigned __int128;
  return nanoseconds(
      static_cast<std::int64_t>((static_cast<wide>(static_cast<std::uint64_t>(mean.count())) * exponential(engine_)) >> 32U));
}

}  // namespace kvrace::scenarios
