// Flaws that complete the mutation operators: what a public report tells of in another system, as a change of one policy here.
//
// They are measured (mutants/) and not catalogued: more than one oracle may catch them, whichever comes first.
#pragma once

#include <vector>

#include "cache_model/flaws/flaw.h"

namespace kvrace::cache {

[[nodiscard]] const std::vector<flaw>& further_mutations();

}  // namespace kvrace::cache
