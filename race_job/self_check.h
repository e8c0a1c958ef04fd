// Does this program see what it is meant to see? Programs with a planted error, and clean ones, to be run before anything else.
#pragma once

#include <string>
#include <vector>

#include "race_job/question.h"

namespace kvrace::race_job {

struct planted {
  question asked;
  std::string sanitizer;  // "thread" or "address"; the others are not asked
  enum class how_often : std::uint8_t { never, sometimes, always } reported = how_often::never;  // of its runs
};

[[nodiscard]] std::vector<planted> self_checks();

}  // namespace kvrace::race_job
