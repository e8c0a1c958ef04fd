// What a reader takes for one character: extended grapheme clusters (Unicode 15.0, UAX #29), in text that arrives code point by
// code point.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "cache_model/input/utf8.h"

namespace kvrace::cache {

struct cluster {
  std::u32string text;
  std::uint32_t begin = 0;  // bytes of the input, as in character
  std::uint32_t end = 0;
};

class cluster_splitter {
 public:
  // UAX #29 puts no end to a cluster; the longest emoji sequences have about ten code points. A longer one is cut here, so that
  // no input is held back for ever.
  static constexpr std::size_t code_points_max = 64;

  // Calls sink(cluster) for each one that is complete.
  template <class Sink>
  void feed(const character& next, Sink&& sink) {
    if (!held_.text.empty()) {
      const bool breaks = breaks_before(next.value);
      const bool too_long = !breaks && held_.text.size() == code_points_max;
      if (too_long) ++cut_;
      if (breaks || too_long) let_go(sink);
    }
    if (held_.text.empty()) held_.begin = next.begin;
    held_.text += static_cast<char32_t>(next.value);
    held_.end = next.end;
  }
  template <class Sink>
  void finish(Sink&& sink) {
    if (!held_.text.empty()) let_go(sink);
  }
  // Clusters that were cut so far.
  [[nodiscard]] std::uint32_t cut() const { return cut_; }

 private:
  bool breaks_before(std::uint32_t code_point);

  template <class Sink>
  void let_go(Sink& sink) {
    sink(held_);
    held_.text.clear();
    state_ = 0;
  }

  cluster held_;
  std::int32_t state_ = 0;  // the library's, between two breaks
  std::uint32_t cut_ = 0;
};

}  // namespace kvrace::cache
