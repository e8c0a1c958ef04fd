// Where a sanitizer's callback leaves its reports: memory that is there before the first one, since the callback may not
// allocate.
#pragma once

#include "race_job/sanitizer.h"

namespace kvrace::race_job {

class report_buffer {
 public:
  // The place for another report; the last place again if all are taken.
  raw_report& add() {
    raw_report& place = kept_[made_ < reports_max ? made_ : reports_max - 1];
    ++made_;
    place = {};
    return place;
  }
  void clear() { made_ = 0; }
  [[nodiscard]] std::uint64_t made() const { return made_; }
  [[nodiscard]] std::span<const raw_report> kept() const { return {kept_.data(), made_ < reports_max ? made_ : reports_max}; }

 private:
  std::array<raw_report, reports_max> kept_;
  std::size_t made_ = 0;
};

void set_kind(raw_report& report, const char* kind);

}  // namespace kvrace::race_job
