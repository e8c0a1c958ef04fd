// The arguments of kvrace trace.
#pragma once

#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include "scenarios/trace_command.h"

namespace kvrace::scenarios {

struct trace_arguments {
  std::string file;
  std::optional<std::string> capacities, locking, tokens_per_block, requests;
  bool plain_lru = false;

  // As a subcommand of `app`, but for --report.
  CLI::App* declare(CLI::App& app);
  // Throws usage_error.
  [[nodiscard]] trace_command command(const std::string& report) const;
};

}  // namespace kvrace::scenarios
