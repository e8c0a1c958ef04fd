// Checked lifetimes of the objects from Sync::make.
#pragma once

#include "runtime/execution.h"

namespace kvrace::detail {

void lifetimes_reset();
// The violation for an object that outlived its run. Requires that there is one.
[[nodiscard]] run_failure lifetimes_leak();

}  // namespace kvrace::detail
