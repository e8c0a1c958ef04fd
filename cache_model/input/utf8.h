// Bytes that arrive in pieces of any size, as characters. What is no UTF-8 becomes U+FFFD, one for each maximal subpart of an
// ill-formed sequence (Unicode 15.0, section 3.9, tables 3-7 and 3-8). Any split of the bytes gives the same characters.
#pragma once

#include <cstdint>
#include <string_view>

namespace kvrace::cache {

inline constexpr std::uint32_t replacement_character = 0xFFFD;

// A code point, and the bytes of the input that it stands for.
struct character {
  std::uint32_t value = 0;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  bool replaced = false;  // the bytes were no UTF-8
};

class utf8_decoder {
 public:
  // Calls sink(character) for each one that is complete.
  template <class Sink>
  void feed(std::string_view bytes, Sink&& sink) {
    for (const char each : bytes) take(static_cast<unsigned char>(each), sink);
  }
  // No more bytes belong to what has been begun: it is incomplete.
  template <class Sink>
  void finish(Sink&& sink) {
    if (missing_ != 0) replace(sink);
  }
  [[nodiscard]] std::uint32_t offset() const { return offset_; }

 private:
  template <class Sink>
  void take(unsigned byte, Sink& sink) {
    if (missing_ != 0) {
      if (byte >= low_ && byte <= high_) {
        low_ = 0x80;
        high_ = 0xBF;
        value_ = value_ << 6U | (byte & 0x3FU);
        ++offset_;
        if (--missing_ == 0) sink(character{value_, begin_, offset_, false});
        return;
      }
      replace(sink);
    }
    begin_ = offset_++;
    if (byte < 0x80)
      sink(character{byte, begin_, offset_, false});
    else if (!begin_sequence(byte))
      sink(character{replacement_character, begin_, offset_, true});
  }

  template <class Sink>
  void replace(Sink& sink) {
    missing_ = 0;
    sink(character{replacement_character, begin_, offset_, true});
  }

  // The second byte's range keeps out overlong forms, surrogates and what is above U+10FFFF.
  bool begin_sequence(unsigned byte) {
    if (byte < 0xC2 || byte > 0xF4) return false;
    missing_ = byte < 0xE0 ? 1 : byte < 0xF0 ? 2 : 3;
    value_ = byte & (0x3FU >> missing_);
    low_ = byte == 0xE0 ? 0xA0 : byte == 0xF0 ? 0x90 : 0x80;
    high_ = byte == 0xED ? 0x9F : byte == 0xF4 ? 0x8F : 0xBF;
    return true;
  }

  unsigned missing_ = 0;  // bytes of the sequence that has been begun
  unsigned low_ = 0x80;   // what the next of them may be
  unsigned high_ = 0xBF;
  std::uint32_t value_ = 0;
  std::uint32_t begin_ = 0;
  std::uint32_t offset_ = 0;  // bytes so far
};

}  // namespace kvrace::cache
