// Small programs that strategies are compared on in the literature, written anew from what is published of them: one bug each,
// and its repair where there is one.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <kvrace/kvrace.h>

namespace kvrace::corpus {

struct classic {
  const char* name;
  program flawed;
  program repaired;  // empty: none is known
  // Schedules to the bug as published for SURW, PCT-3, POS and a random walk, "" where there is no figure.
  std::array<const char*, 4> published = {"", "", "", ""};
};
[[nodiscard]] std::span<const classic> classics();

inline constexpr unsigned comparison_seeds = 20;
inline constexpr std::uint64_t comparison_schedules = 10'000;  // a seed
inline constexpr std::array<const char*, 4> compared = {"SURW", "PCT-3", "POS", "random"};

// Schedules to the first finding, of the seeds that came to one.
struct comparison {
  const classic* what;
  std::array<std::vector<std::uint64_t>, compared.size()> schedules;
};
[[nodiscard]] comparison compare(const classic&);
[[nodiscard]] std::vector<comparison> compare_all();

// In Markdown.
[[nodiscard]] std::string table_of(std::span<const comparison> all);

}  // namespace kvrace::corpus
