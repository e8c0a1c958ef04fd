// prove() by interleavings: the bounded search in one process or several, and what it comes to.
#pragma once

#include <cstdint>
#include <string>

#include <kvrace/check.h>
#include <kvrace/result.h>

namespace kvrace::detail {

// A search that is over by then needs no other processes.
inline constexpr std::uint64_t states_before_workers = 20'000;

// As search_for(). The result is the same for any number of jobs, but for the effort: counts.runs, steps, decisions, ... Where a
// number of states ends the search, whether it has met a violation by then that takes more preemptions than the bounds it has
// exhausted depends on the jobs too.
[[nodiscard]] result prove_by_interleavings(const std::string& signature, const prove_options& options, const program& tested,
                                            std::uint64_t states_alone = states_before_workers);

}  // namespace kvrace::detail
