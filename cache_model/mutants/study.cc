#include "cache_model/mutants/study.h"

#include <algorithm>
#include <sstream>
#include <string_view>
#include <utility>

#include <kvrace/check.h>
#include <kvrace/strategy.h>

#include "cache_model/flaws/flaws.h"
#include "cache_model/mutants/showcases.h"

namespace kvrace::cache::mutants {

namespace {

struct mutant {
  unsigned operation;
  const char* flaw;
  bool is_part = false;  // beside the cache: its locking strategy plays no role
};
constexpr std::array all_mutants = {
    mutant{1, "metadata_unlocked"},
    mutant{1, "node_reused_after_unlock"},
    mutant{2, "list_spliced_under_shared_lock"},
    mutant{3, "hit_not_pinned"},
    mutant{3, "promise_not_pinned"},
    mutant{4, "pinned_after_reserving"},
    mutant{5, "given_back_before_reading"},
    mutant{6, "published_before_filled"},
    mutant{7, "freed_while_indexed"},
    mutant{8, "decremented_in_two_steps"},
    mutant{9, "double_decrement"},
    mutant{10, "stale_index"},
    mutant{11, "removed_by_key"},
    mutant{12, "namespace_omitted"},
    mutant{12, "untagged_fields"},
    mutant{12, "hash_without_compare"},
    mutant{13, "load_over_invalidation"},
    mutant{14, "index_removed_late"},
    mutant{14, "metadata_second_section"},
    mutant{15, "drop_unnoticed"},
    mutant{16, "references_kept_on_cancel"},
    mutant{17, "wait_under_lock"},
    mutant{18, "lock_order_inversion"},
    mutant{19, "published_on_cancel"},
    mutant{20, "chain_restarts_at_window"},
    mutant{20, "epoch_reclaimed_early"},
    mutant{20, "short_last_block", true},
    mutant{21, "relaxed_decrement"},
    mutant{22, "aba_free_list"},
    mutant{23, "buffers_shared", true},
    mutant{24, "waiter_removed_early", true},
    mutant{25, "counted_again_on_retry"},
    mutant{26, "partial_tail_shared"},
    mutant{27, "generation_read_late"},
    mutant{28, "one_offset_for_all"},
};

struct equivalence {
  unsigned operation;
  const char* locking;
  const char* reason;
};
// Where an operator changes nothing, or finds nothing to change.
constexpr std::array equivalences = {
    equivalence{2, "mutex", "there is no shared lock"},
    equivalence{2, "epoch", "there is no lock"},
    equivalence{4, "epoch", "a hit is found and referenced in one step, and a run of hits ends before anything is reserved"},
    equivalence{8, "mutex", "the count is plain data, decremented in the critical section in any number of steps"},
    equivalence{14, "epoch", "a block is taken before its entry goes: the entry's generation denies the block from then on"},
    equivalence{15, "mutex", "whether a block goes back as cached is read from the block, not from what the request was told"},
    equivalence{15, "rwlock",
                "every block stands in the queue; one that is not indexed is moved to its front by the next eviction"},
    equivalence{17, "epoch", "there is no lock"},
    equivalence{18, "epoch", "there is no lock"},
    equivalence{21, "mutex", "there is no memory order to weaken: the mutex orders everything"},
    equivalence{22, "mutex", "free blocks stand in the eviction order, under the lock"},
    equivalence{22, "rwlock", "free blocks stand in the eviction order, under the lock"},
    equivalence{25, "mutex", "nothing is tried again"},
    equivalence{26, "epoch", "entries are found by the whole key only: a part of a block has none"},
};

const equivalence* equivalence_of(unsigned operation, std::string_view locking) {
  for (const equivalence& each : equivalences)
    if (each.operation == operation && each.locking == locking) return &each;
  return nullptr;
}

strategy_choice strategy_of(std::size_t which) {
  switch (which) {
    case 0: return random_walk();
    case 1: return pct({.depth = 3});
    case 2: return pos();
    default: return surw();
  }
}

void sample(row& made, const programs::program_under_test& program) {
  for (std::size_t which = 0; which < strategies.size(); ++which) {
    sampled& sum = made.by_strategy[which];
    for (unsigned seed = 1; seed <= seeds; ++seed) {
      const result found = check({.strategy = strategy_of(which),
                                  .seed = seed,
                                  .runs = schedules_max,
                                  .limits = program.limits,
                                  .metrics = metric_names()},
                                 program);
      if (found.findings.empty()) continue;
      ++sum.found;
      sum.schedules += found.counts.runs;
      made.oracles.insert(found.findings.front().oracle);
    }
  }
}

row study_of(const mutant& what, std::string_view locking) {
  static const std::vector<programs::showcase> all = programs::showcases();
  row made{.operation = what.operation, .mutant = what.flaw, .locking = std::string(what.is_part ? "any" : locking)};
  const auto show = std::find_if(all.begin(), all.end(), [&](const programs::showcase& each) { return each.flaw == what.flaw; });
  const programs::program_under_test program = programs::program_of(*show, std::string(locking), true);
  if (const equivalence* same = equivalence_of(what.operation, locking)) {
    made.equivalent = same->reason;
    made.proof = prove({.limits = program.limits, .metrics = metric_names()}, program).verdict;
  } else {
    sample(made, program);
  }
  return made;
}

bool makes_sense(const mutant& what, std::string_view locking) {
  const auto& where = find_flaw(what.flaw)->description.locking;
  return what.is_part ? locking == "mutex" : std::find(where.begin(), where.end(), locking) != where.end();
}

// Rounded to one digit behind the point.
std::string mean_of(const sampled& of) {
  if (of.found == 0) return "none";
  const std::uint64_t tenths = (of.schedules * 10 + of.found / 2) / of.found;
  std::string text = std::to_string(tenths / 10) + "." + std::to_string(tenths % 10);
  if (of.found != seeds) text += " (" + std::to_string(of.found) + " of " + std::to_string(seeds) + ")";
  return text;
}

}  // namespace

bool row::settled() const {
  if (!equivalent.empty()) return mutant.empty() || proof == verdict::proved;
  return std::any_of(by_strategy.begin(), by_strategy.end(), [](const sampled& each) { return each.found == seeds; });
}

const char* title_of(unsigned operation) {
  static constexpr std::array<const char*, operators> titles = {
      "unlock moved before the use",
      "shared lock in place of the exclusive one",
      "found and not pinned",
      "parts pinned one by one",
      "given back before the last use",
      "published before it is complete",
      "one decrement too many, or too few",
      "decrement that is not atomic",
      "count clamped in place of an error",
      "one of several structures forgotten",
      "removed by key in place of by instance",
      "field left out of a key, or untagged",
      "invalidation ignores what is under way",
      "two steps of bookkeeping swapped",
      "error of a second structure swallowed",
      "no clean-up when cancelled",
      "waiting under a lock",
      "two locks in the other order",
      "counted before it is so",
      "one off, or the wrong granularity",
      "weaker memory order",
      "head of a free list without a number",
      "shared scratch buffer",
      "told before the final state",
      "retry repeats a side effect",
      "shared in place of copied",
      "value for validation read too late",
      "one offset for a whole batch",
  };
  return titles[operation - 1];
}

std::vector<row> study_all() {
  std::vector<row> all;
  for (unsigned operation = 1; operation <= operators; ++operation) {
    for (const std::string_view locking : {"mutex", "rwlock", "epoch"}) {
      const std::size_t before = all.size();
      for (const mutant& each : all_mutants)
        if (each.operation == operation && makes_sense(each, locking)) all.push_back(study_of(each, locking));
      if (all.size() != before) continue;
      if (const equivalence* none = equivalence_of(operation, locking))
        all.push_back({.operation = operation, .mutant = {}, .locking = std::string(locking), .equivalent = none->reason});
    }
  }
  return all;
}

std::string table_of(const std::vector<row>& all) {
  std::ostringstream text;
  text << "| operator | mutant | locking | oracle |";
  for (const char* const strategy : strategies) text << ' ' << strategy << " |";
  text << "\n|---|---|---|---|---:|---:|---:|---:|\n";
  for (const row& each : all) {
    text << "| M" << each.operation << " " << title_of(each.operation) << " | " << (each.mutant.empty() ? "none" : each.mutant)
         << " | " << each.locking << " | ";
    if (!each.equivalent.empty()) {
      text << (each.mutant.empty() ? "not applicable" : std::string("equivalent, ") + to_string(each.proof)) << ": "
           << each.equivalent << " | | | | |\n";
      continue;
    }
    std::string_view comma;
    for (const std::string& oracle : each.oracles) text << std::exchange(comma, ", ") << oracle;
    text << " |";
    for (const sampled& found : each.by_strategy) text << ' ' << mean_of(found) << " |";
    text << '\n';
  }
  return text.str();
}

}  // namespace kvrace::cache::mutants
