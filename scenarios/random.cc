// Compiled with -ffp-contract=off: a fused multiply-add would round differently on machines that have one.
#include "scenarios/random.h"

#include <algorithm>
#include <bit>

namespace kvrace::scenarios {
namespace {

constexpr double ln2 = 0x1.62e42fefa39efp-1;

// Requires x >= 1. x is halved into [1, 2), then ln m = 2 atanh((m-1)/(m+1)), whose series has shrunk below a double's last
// bit after 24 terms, as (m-1)/(m+1) <= 1/3.
double natural_logarithm(double x) {
  double halvings = 0;
  for (; x >= 2; x /= 2) halvings += 1;
  const double ratio = (x - 1) / (x + 1);
  const double square = ratio * ratio;
  double sum = 0;
  for (int term = 24; term >= 0; --term) sum = sum * square + 1.0 / (2 * term + 1);
  return halvings * ln2 + 2 * ratio * sum;
}

// Requires 0 <= x. e^-x = 2^-n e^-r with r < ln 2.
double inverse_exponential(double x) {
  const double halvings = static_cast<double>(static_cast<std::uint64_t>(x / ln2));
  const double rest = x - halvings * ln2;
  double sum = 0;
  for (int term = 20; term >= 1; --term) sum = (sum + 1) * -rest / term;
  sum += 1;
  for (double done = 0; done < halvings; done += 1) sum /= 2;
  return sum;
}

}  // namespace

random_engine::random_engine(std::uint64_t seed) {
  for (std::uint64_t& word : state_) {
    seed += 0x9e3779b97f4a7c15u;
    std::uint64_t mixed = (seed ^ (seed >> 30)) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
    word = mixed ^ (mixed >> 31);
  }
}

std::uint64_t random_engine::next() {
  const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const std::uint64_t shifted = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

std::uint64_t random_engine::below(std::uint64_t count) {
  const std::uint64_t mask = count == 1 ? 0 : ~std::uint64_t{0} >> std::countl_zero(count - 1);
  for (;;) {
    const std::uint64_t candidate = next() & mask;
    if (candidate < count) return candidate;
  }
}

weighted_index::weighted_index(const std::vector<std::uint64_t>& weights) {
  std::uint64_t sum = 0;
  for (const std::uint64_t weight : weights) cumulative_.push_back(sum += weight);
  shift_ = std::max(0, static_cast<int>(std::bit_width(sum - 1)) - static_cast<int>(std::bit_width(weights.size())));
  std::uint32_t first = 0;
  for (std::uint64_t leading = 0; leading <= (sum - 1) >> shift_; ++leading) {
    while (cumulative_[first] <= leading << shift_) ++first;
    guide_.push_back(first);
  }
}

std::size_t weighted_index::draw(random_engine& engine) const {
  const std::uint64_t drawn = engine.below(cumulative_.back());
  std::size_t index = guide_[drawn >> shift_];
  while (cumulative_[index] <= drawn) ++index;
  return index;
}

// Draw until the numbers rise: U1 >= U2 >= ... >= Un < U(n+1). Given U1 = x, n is odd with probability e^-x, so U1 is accepted
// then; otherwise the result is one more than that of another game.
std::uint64_t exponential(random_engine& engine) {
  for (std::uint64_t whole = 0;; ++whole) {
    const std::uint64_t first = engine.next();
    bool odd = true;
    for (std::uint64_t last = first;; odd = !odd) {
      const std::uint64_t next = engine.next();
      if (next > last) break;
      last = next;
    }
    if (odd) return whole << 32U | first >> 32U;
  }
}

poisson_times::poisson_times(double rate_hz, std::uint64_t seed)
    : engine_(seed), mean_(static_cast<std::uint64_t>(1'000'000'000.0 / rate_hz * 1'048'576.0)) {}

std::int64_t poisson_times::next_ns() {
  __extension__ using wide = unsigned __int128;
  fraction_ += static_cast<std::uint64_t>((static_cast<wide>(mean_) * exponential(engine_)) >> 32U);
  now_ns_ += static_cast<std::int64_t>(fraction_ >> 20U);
  fraction_ &= (std::uint64_t{1} << 20U) - 1;
  return now_ns_;
}

std::vector<std::uint64_t> zipf_weights(std::size_t count, double exponent) {
  std::vector<std::uint64_t> weights;
  for (std::size_t k = 1; k <= count; ++k) {
    const double fraction = inverse_exponential(exponent * natural_logarithm(static_cast<double>(k)));
    weights.push_back(std::max<std::uint64_t>(1, static_cast<std::uint64_t>(fraction * 1099511627776.0)));
  }
  return weights;
}

}  // namespace kvrace::scenarios
