#include "scenarios/traffic.h"

#include <limits>

#include "scenarios/generator.h"

namespace kvrace::scenarios {
namespace {

using std::chrono::nanoseconds;

// The stream of what arrives is another than that of when: a longer game for a time must not shift a prompt.
constexpr std::uint64_t content_stream = 0x5851f42d4c957f2d;

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
  if (requests) return *requests;
  return static_cast<std::uint64_t>(qps * (static_cast<double>(duration->count()) / 1e9)) + 1;
}

std::uint64_t traffic::windows_expected() const {
  const double length_ns = duration ? static_cast<double>(duration->count()) : static_cast<double>(*requests) / qps * 1e9;
  return static_cast<std::uint64_t>(length_ns / static_cast<double>(window.count())) + 1;
}

arrival_times::arrival_times(const traffic& shape)
    : times_(shape.qps, shape.seed),
      requests_left_(shape.requests.value_or(std::numeric_limits<std::uint64_t>::max())),
      end_(shape.duration.value_or(nanoseconds::max())),
      tick_(shape.tick) {}

bool arrival_times::next(nanoseconds& time) {
  if (requests_left_ == 0) return false;
  --requests_left_;
  time = nanoseconds(times_.next_ns());
  if (time >= end_) {
    requests_left_ = 0;
    return false;
  }
  if (tick_.count() != 0) time = (time + tick_ - nanoseconds(1)) / tick_ * tick_;
  return true;
}

arrival_stream::arrival_stream(const traffic& shape, std::uint32_t tokens_per_block)
    : shape_(shape),
      tokens_per_block_(tokens_per_block),
      leaf_(leaf_weights(shape)),
      kind_({shape.mix.lookup, shape.mix.serve, shape.mix.invalidate}),
      owners_(owners_of(shape)),
      engine_(shape.seed ^ content_stream),
      times_(shape) {}

void arrival_stream::restart() {
  engine_ = random_engine(shape_.seed ^ content_stream);
  times_ = arrival_times(shape_);
}

bool arrival_stream::next(arrival& to) {
  static constexpr arrival::kind kinds[] = {arrival::kind::lookup, arrival::kind::serve, arrival::kind::invalidate};
  if (!times_.next(to.time)) return false;
  to.what = kinds[kind_.draw(engine_)];
  to.cancel = cache::cancel_point::none;
  to.decode = {};
  if (to.what == arrival::kind::invalidate) return true;
  to.prompt.owner = owners_[shape_.tenants > 1 ? engine_.below(shape_.tenants) : 0];
  write_prompt(shape_.tree_depth, shape_.tree_fanout, leaf_.draw(engine_), tokens_per_block_, to.prompt.tokens);
  if (to.what == arrival::kind::lookup) return true;
  const nanoseconds mean = from_us(shape_.times.output_tokens * shape_.times.decode_us_per_token);
  to.decode = mean;
  if (shape_.times.output_exponential) {
    __extension__ using wide = unsigned __int128;
    to.decode = nanoseconds(
        static_cast<std::int64_t>((static_cast<wide>(static_cast<std::uint64_t>(mean.count())) * exponential(engine_)) >> 32U));
  }
  if (shape_.cancellation_probability > 0 && engine_.chance(shape_.cancellation_probability))
    to.cancel = shape_.cancellation_points[engine_.below(shape_.cancellation_points.size())];
  return true;
}

}  // namespace kvrace::scenarios
