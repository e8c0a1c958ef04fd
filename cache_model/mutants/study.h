// Mutation adequacy: each operator that public bugs suggest, applied to each locking strategy, and what finds it how fast.
#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include <kvrace/result.h>

namespace kvrace::cache::mutants {

struct sampled {
  std::uint64_t schedules = 0;  // to the first finding, summed over the seeds that came to one
  unsigned found = 0;           // seeds that came to one
};
inline constexpr unsigned seeds = 10;
inline constexpr std::uint64_t schedules_max = 2'000;  // a seed
inline constexpr std::array<const char*, 4> strategies = {"random", "PCT-3", "POS", "SURW"};

// One operator and one locking strategy.
struct row {
  unsigned operation = 0;  // 28: M28
  std::string mutant = {};      // the flaw's name; empty if the operator cannot be applied
  std::string locking = {};     // "any" if the mutated part is beside the cache
  std::set<std::string> oracles = {};  // that found it
  std::array<sampled, strategies.size()> by_strategy = {};
  std::string equivalent = {};  // if nothing can find it, or there is nothing to change: why
  verdict proof = verdict::not_found;  // of a mutant that is equivalent: no execution of its program violates anything

  [[nodiscard]] bool killed() const { return !oracles.empty(); }
  // Each seed of some strategy comes to it, or it is equivalent as claimed.
  [[nodiscard]] bool settled() const;
};
inline constexpr unsigned operators = 28;
[[nodiscard]] const char* title_of(unsigned operation);
[[nodiscard]] std::vector<row> study_all();

// In Markdown.
[[nodiscard]] std::string table_of(const std::vector<row>& all);

}  // namespace kvrace::cache::mutants
