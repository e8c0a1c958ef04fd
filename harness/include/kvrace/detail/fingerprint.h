// 128 bits that stand for a value: equal values have equal ones in every run and on every machine.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <tuple>
#include <type_traits>

#include <kvrace/detail/fields.h>

namespace kvrace {

// What a call or a result consists of is added piece by piece. A type of your own that is no plain struct of at most 6 members
// has a member `void add_to(kvrace::fingerprint&) const`.
class fingerprint {
 public:
  void add_bits(std::uint64_t bits) {
    low_ = (low_ ^ bits) * 0x9fb21c651e98df25;
    low_ ^= low_ >> 32U;
    high_ = (high_ + bits + 0x2545f4914f6cdd1d) * 0xd6e8feb86659fd93;
    high_ ^= high_ >> 29U;
  }

  template <class T>
  void add(const T& value) {
    static_assert(!std::is_pointer_v<T>, "kvrace: a pointer differs from run to run: name what it points to");
    if constexpr (requires { value.add_to(*this); }) {
      value.add_to(*this);
    } else if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
      add_bits(static_cast<std::uint64_t>(value));
    } else if constexpr (std::is_floating_point_v<T>) {
      add_bits(std::bit_cast<std::uint64_t>(static_cast<double>(value)));
    } else if constexpr (detail::text_like<T>) {
      add_text(value);
    } else if constexpr (detail::optional_like<T>) {
      add_bits(value.has_value() ? 1 : 0);
      if (value.has_value()) add(*value);
    } else if constexpr (detail::range_like<T>) {
      add_bits(value.size());
      for (const auto& each : value) add(each);
    } else if constexpr (detail::tuple_like<T>) {
      std::apply([this](const auto&... each) { (this->add(each), ...); }, value);
    } else if constexpr (!std::is_empty_v<T>) {
      static_assert(std::is_aggregate_v<T>, "kvrace: this type needs a member add_to(kvrace::fingerprint&) const");
      detail::for_each_field(value, [this](const auto& each) { this->add(each); });
    }
  }

  // Lets every bit depend on every other, as is needed before a sum.
  void mix() {
    low_ = (low_ ^ (high_ << 17U | high_ >> 47U)) * 0xff51afd7ed558ccd;
    high_ = (high_ + low_) * 0xc4ceb9fe1a85ec53;
    low_ ^= low_ >> 33U;
    high_ ^= high_ >> 31U;
  }

  [[nodiscard]] std::uint64_t low() const { return low_; }
  [[nodiscard]] std::uint64_t high() const { return high_; }
  // Of several things whose order does not matter; each is mixed.
  fingerprint& operator+=(const fingerprint& other) {
    low_ += other.low_;
    high_ += other.high_;
    return *this;
  }

 private:
  void add_text(std::string_view text) {
    add_bits(text.size());
    while (!text.empty()) {
      std::uint64_t bits = 0;
      const std::string_view piece = text.substr(0, sizeof bits);
      std::memcpy(&bits, piece.data(), piece.size());
      add_bits(bits);
      text.remove_prefix(piece.size());
    }
  }

  std::uint64_t low_ = 0x5851f42d4c957f2d;
  std::uint64_t high_ = 0x14057b7ef767814f;
};

}  // namespace kvrace
