#include <array>
#include <bit>
#include <memory>
#include <sstream>
#include <stdexcept>

#include <kvrace/strategy.h>

#include "strategies/random_source.h"

namespace kvrace {

namespace {

using detail::random_source;

unsigned nth(task_set tasks, std::uint64_t index) {
  for (; index > 0; --index) tasks &= tasks - 1;
  return static_cast<unsigned>(std::countr_zero(tasks));
}

// Draws once per switch how many decisions the chosen task keeps, instead of a coin at each: the geometric distribution has no
// memory, so the walk is the same.
class random_walk_strategy final : public strategy {
 public:
  random_walk_strategy(double switch_probability, std::uint64_t seed) : probability_(switch_probability), seed_(seed) {
    double stays = 1;
    for (std::uint64_t& threshold : stays_longer_) {
      stays *= 1 - switch_probability;
      threshold = scaled(stays);
    }
    double power = 1 - switch_probability;
    for (std::uint64_t& digit : digits_) {
      digit = scaled(power / (1 + power));
      power *= power;
    }
    rare_ = switch_probability < 1.0 / 16;
    for (std::size_t i = 0; i < at_least_.size(); ++i)
      while (at_least_[i] < stays_longer_.size() && ((i << 56U) | low_bits) < stays_longer_[at_least_[i]]) ++at_least_[i];
  }

  bool begin_run(std::uint64_t index, const execution_view&) override {
    random_ = random_source(seed_, index);
    first_ = true;
    return true;
  }

  task_answer choose_task(const decision& now) override {
    task_set candidates = now.enabled;
    if (now.current_enabled) {
      // The geometric stretch is over: leave. A stretch interrupted by a wakeup does not happen, this strategy ignores them.
      candidates &= ~(task_set{1} << now.current);
      if (first_) return start(now);
    }
    first_ = false;
    return {any_of(candidates), stretch()};
  }

  std::uint64_t choose_value(unsigned, std::uint64_t outcomes) override { return random_.below(outcomes); }

  [[nodiscard]] std::string describe() const override {
    std::ostringstream text;
    text << "random walk, switch probability " << probability_;
    return text.str();
  }

 private:
  static std::uint64_t scaled(double probability) {
    return probability >= 1 ? ~std::uint64_t{0} : static_cast<std::uint64_t>(probability * 18446744073709551616.0);
  }

  // The first decision of a run finds a task that no stretch was drawn for.
  task_answer start(const decision& now) {
    first_ = false;
    const std::uint64_t stay = stretch();
    if (stay > 1 || std::has_single_bit(now.enabled)) return {now.current, stay > 1 ? stay - 1 : 1};
    return {any_of(now.enabled & ~(task_set{1} << now.current)), stretch()};
  }

  unsigned any_of(task_set tasks) {
    const auto first = static_cast<unsigned>(std::countr_zero(tasks));
    if (tasks == task_set{1} << first) return first;
    return nth(tasks, random_.below(static_cast<std::uint64_t>(std::popcount(tasks))));
  }

  // Decisions until the next switch: k with probability (1-p)^(k-1) p.
  std::uint64_t stretch() {
    if (rare_) return rare_stretch();
    std::uint64_t total = 1;
    for (;;) {
      const std::uint64_t draw = random_.next();
      std::size_t stays = at_least_[draw >> 56U];
      while (stays < stays_longer_.size() && draw < stays_longer_[stays]) ++stays;
      total += stays;
      if (stays < stays_longer_.size()) return total;
    }
  }

  // For small p: the binary digits of a geometric variable are independent, digit j being 1 with probability
  // q^(2^j) / (1 + q^(2^j)), q = 1-p.
  std::uint64_t rare_stretch() {
    std::uint64_t total = 1;
    for (std::size_t digit = 0; digit < digits_.size(); ++digit)
      if (random_.next() < digits_[digit]) total += std::uint64_t{1} << digit;
    return total;
  }

  static constexpr std::uint64_t low_bits = (std::uint64_t{1} << 56U) - 1;

  double probability_;
  std::uint64_t seed_;
  random_source random_;
  bool first_ = true;
  bool rare_ = false;
  std::array<std::uint64_t, 16> stays_longer_{};  // [k]: a draw below it stays for more than k+1 decisions
  std::array<std::uint8_t, 256> at_least_{};  // [byte]: how many thresholds every draw with this first byte is below
  std::array<std::uint64_t, 40> digits_{};
};

struct random_walk_factory final : strategy_factory {
  explicit random_walk_factory(double probability) : switch_probability(probability) {}
  [[nodiscard]] std::unique_ptr<strategy> make(std::uint64_t seed) const override {
    return std::make_unique<random_walk_strategy>(switch_probability, seed);
  }
  double switch_probability;
};

}  // namespace

strategy_choice random_walk(double switch_probability) {
  if (!(switch_probability > 0 && switch_probability <= 1))
    throw std::invalid_argument("random_walk: the switch probability must be above 0 and at most 1");
  return std::make_shared<random_walk_factory>(switch_probability);
}

}  // namespace kvrace
