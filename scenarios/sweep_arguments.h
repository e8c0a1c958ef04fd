// The arguments of kvrace sweep.
#pragma once

#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include "scenarios/commands.h"

namespace kvrace::scenarios {

struct sweep_arguments {
  std::string scenario;
  std::optional<std::string> qps, locking, flaws, seeds, requests, jobs, picture;

  // As a subcommand of `app`, but for --report.
  CLI::App* declare(CLI::App& app);
  // Throws usage_error.
  [[nodiscard]] sweep_command command(const std::string& report) const;
};

}  // namespace kvrace::scenarios
