// The flaws by name.
#pragma once

#include <string_view>
#include <vector>

#include "cache_model/flaws/flaw.h"

namespace kvrace::cache {

[[nodiscard]] const std::vector<flaw>& all_flaws();
// Among the further mutations (mutations.h) too.
[[nodiscard]] const flaw* find_flaw(std::string_view name);

}  // namespace kvrace::cache
