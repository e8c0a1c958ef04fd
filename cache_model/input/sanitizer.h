// Replaces what matches #{3,} or \[\w+\]\{\d+\} by one space, in text that arrives character by character: the leftmost match
// first, each as long as it can be. \w is a letter, a number or an underscore, and \d a decimal digit, of any script.
//
// What may still become a match is held back until it does or cannot. Neither pattern can begin inside of the other, nor inside
// of itself, so that what is held back is never looked at twice.
#pragma once

#include <cstdint>
#include <vector>

#include "cache_model/input/utf8.h"

namespace kvrace::cache {

[[nodiscard]] bool is_word_character(std::uint32_t code_point);
[[nodiscard]] bool is_decimal_digit(std::uint32_t code_point);

class sanitizer {
 public:
  // Without `replaces`, matches are counted and left as they are.
  explicit sanitizer(bool replaces = true) : replaces_(replaces) {}

  template <class Sink>
  void feed(const character& next, Sink&& sink) {
    if (goes_on(next)) {
      held_.push_back(next);
      if (state_ == state::match) let_go(sink);
      return;
    }
    let_go(sink);
    state_ = next.value == '#' ? state::hashes : next.value == '[' ? state::open : state::none;
    if (state_ == state::none)
      sink(next);
    else
      held_.push_back(next);
  }
  template <class Sink>
  void finish(Sink&& sink) {
    let_go(sink);
  }
  // Matches so far.
  [[nodiscard]] std::uint32_t triggers() const { return triggers_; }

 private:
  // How far the second pattern has been matched; or how the first one goes on.
  enum class state : std::uint8_t { none, hashes, open, word, closed, brace, digits, match };

  bool goes_on(const character& next) {
    const std::uint32_t value = next.value;
    switch (state_) {
      case state::hashes: return value == '#';
      case state::open: return is_word_character(value) && advance(state::word);
      case state::word: return is_word_character(value) || (value == ']' && advance(state::closed));
      case state::closed: return value == '{' && advance(state::brace);
      case state::brace: return is_decimal_digit(value) && advance(state::digits);
      case state::digits: return is_decimal_digit(value) || (value == '}' && advance(state::match));
      default: return false;
    }
  }
  bool advance(state to) {
    state_ = to;
    return true;
  }

  template <class Sink>
  void let_go(Sink& sink) {
    const bool matches = state_ == state::match || (state_ == state::hashes && held_.size() >= 3);
    if (matches) ++triggers_;
    if (matches && replaces_) {
      sink(character{' ', held_.front().begin, held_.back().end, false});
    } else {
      for (const character& each : held_) sink(each);
    }
    held_.clear();
    state_ = state::none;
  }

  bool replaces_;
  state state_ = state::none;
  std::vector<character> held_;
  std::uint32_t triggers_ = 0;
};

}  // namespace kvrace::cache
