// The manual of kvrace, as man(1) reads it.
#pragma once

#include <span>
#include <string>

#include "scenarios/command_table.h"

namespace kvrace::scenarios {

[[nodiscard]] std::string man_page(std::span<const command_entry>);

}  // namespace kvrace::scenarios
