// What a check, a proof or a replay found out: plain values, ready for any report. Nothing here knows a cache.
#pragma once

#include <array>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <kvrace/schedule.h>

namespace kvrace {

// What may be claimed after a search. Exit codes and the full wording: ARCHITECTURE.md, "Verdicts".
enum class verdict : std::uint8_t {
  proved,      // every execution of the program under the memory model was explored
  exhausted,   // every sc execution with at most `preemptions_bound` preemptions was explored
  not_found,   // a sample of schedules showed no violation
  violation,   // an oracle failed; `findings` says which
  incomplete,  // a budget or an interrupt ended the search before its goal
  unsound,     // replay diverged or something uncontrolled was seen: the run means nothing
};
// The values a load may have.
enum class memory_model : std::uint8_t {
  sc,          // sequentially consistent, whatever the memory orders; these matter to data races
  rc11,        // those C++20 allows by RC11: any but load buffering
  rc11_genmc,  // with the stronger axiom on sequentially consistent operations of the tool GenMC, for comparisons with it
};
[[nodiscard]] const char* to_string(memory_model);  // "sc", "rc11", "rc11 as in GenMC"

[[nodiscard]] const char* to_string(verdict);  // "PROVED", "EXHAUSTED", ...

// A place in the source. line 0 means unknown.
struct source_site {
  std::string file;
  unsigned line = 0;
  friend bool operator==(const source_site&, const source_site&) = default;
};

// One executed visible operation.
struct trace_step {
  std::uint64_t step = 0;       // position in the run, from 1
  unsigned task = 0;            // index into finding::tasks
  std::uint64_t operation = 0;  // the task's own count, from 1
  std::string kind;             // "lock", "load", "notify_one", ...
  std::string object;           // "mutex 'pool'" or "atomic 1.4" (creating task, creation index)
  std::string value;            // what was read or written, empty if nothing to tell
  source_site site;
  std::uint64_t time_ns = 0;    // virtual, since the run began
  std::uint64_t behind = 0;     // a stale load of an interleaving: how many stores newer than the one it reads there were
  bool preempts = false;        // the task that ran before was still enabled and had not yielded
  bool decisive = false;        // the step touches what the finding is about, or sits at a preemption
};

// An event about an object (for a cache: about a block), told by the program under test. See run::note.
struct ledger_event {
  std::uint64_t step = 0;  // the last visible operation executed before the event
  unsigned task = 0;
  std::string subject;     // "block 1"
  std::string event;       // "allocate", "publish", "evict", ...
  std::string detail;      // free text
};

// A call of the program under test as a reader thinks of it. See kvrace::operation.
struct operation_record {
  unsigned task = 0;
  std::uint64_t step_call = 0;
  std::uint64_t step_return = 0;  // 0: it had not returned when the run ended
  std::string call;               // "lookup(m, AAAA)"
  std::string returned;           // "hit 4 tokens"
};

struct finding {
  std::string oracle;    // "data_race", "deadlock", "ghost_entry", ...
  std::string message;   // one sentence
  std::string subject;   // the object it is about, as in trace_step::object or ledger_event::subject; may be empty
  std::vector<source_site> sites;
  std::uint64_t run = 0;          // index of the run, from 0
  std::uint64_t step = 0;         // the step at which the oracle failed
  std::uint64_t occurrences = 1;  // runs that failed with the same signature
  kvrace::schedule schedule;
  std::uint64_t trace_digest = 0;  // over (task, kind, object) of every step up to the violation
  std::vector<std::string> tasks;  // names, by task id; [0] is the body
  std::vector<trace_step> trace;
  std::vector<operation_record> operations;
  std::vector<ledger_event> ledger;

  // What makes two findings the same: oracle, subject kind and sites.
  [[nodiscard]] std::string signature() const;
};

// Of a bounded search, runs, steps, decisions and switches are its effort, which depends on how many processes share it; so does
// decisions_max. The others count what is different: `blocked` and `undecided` too.
struct search_counts {
  std::uint64_t runs = 0;                // schedules executed
  std::uint64_t schedules_distinct = 0;  // sampling: different decision sequences among them; 0 if not counted
  std::uint64_t steps = 0;
  std::uint64_t decisions = 0;
  std::uint64_t switches = 0;
  std::uint64_t violations = 0;          // runs that ended in a violation
  std::uint64_t blocked = 0;             // runs stopped by an unmet assumption
  std::uint64_t undecided = 0;           // runs with a history whose linearizability was not decided within its budget
  std::uint64_t tasks_max = 0;           // most tasks in one run, without the body
  std::uint64_t decisions_max = 0;       // most decisions in one run
  // Bounded search only.
  std::uint64_t executions_distinct = 0;  // complete executions, up to happens-before equivalence
  std::uint64_t states_distinct = 0;      // happens-before states visited
  std::uint64_t states_open = 0;          // successors of visited states that have not been visited
  // Execution graphs only. Complete ones are executions_distinct.
  std::uint64_t graphs_inconsistent = 0;  // executions given up because the memory model forbids them
  std::uint64_t graphs_judged =
      0;        // complete ones of a program with audits or histories that were also executed as an interleaving
  std::uint64_t graphs_unjudged = 0;      // the others of such a program: no interleaving is like them
  std::uint64_t graphs_duplicate = 0;     // complete graphs met again, of those compared: 0, or the exploration has a bug
};

// What a proof by execution graphs rests on. The same program, memory model and bounds give the same values.
struct graph_certificate {
  kvrace::memory_model memory_model = kvrace::memory_model::sc;
  std::uint64_t steps_max = 0;   // see limits
  unsigned yields_bound = 0;     // see result
  std::uint64_t complete = 0;    // graphs in which every task ended
  std::uint64_t blocked = 0;     // graphs in which one waits for what never comes, and that is no violation
  std::uint64_t duplicates = 0;  // complete graphs met twice, among those that were compared
  std::uint64_t compared = 0;    // all of them, or a sample by a hash that has both of two equal graphs or neither
  // Over the values above and every complete graph: per task its operations, their objects, what each reads from and follows in
  // the modification order, and the values written, unless they take more than 32 bits. Free of addresses.
  std::array<std::uint64_t, 2> digest{};
  friend bool operator==(const graph_certificate&, const graph_certificate&) = default;
};
[[nodiscard]] std::string digest_text(const graph_certificate&);  // 32 hexadecimal digits

struct result {
  kvrace::verdict verdict = kvrace::verdict::not_found;
  std::string claim;  // the verdict as a sentence, with every bound that applied
  std::string strategy;  // as described by the strategy, with its parameters
  kvrace::memory_model memory_model = kvrace::memory_model::sc;
  std::string refusal;  // INCOMPLETE: what the program uses that is not modelled; empty if that was not the reason
  std::uint64_t seed = 0;
  unsigned preemptions_bound = 0;  // EXHAUSTED only
  unsigned yields_bound = 0;  // proofs: see prove_options::yields_max; 0 if it made no difference
  bool calls_ordered_causally = false;  // see history_options::visible_calls: matters to proofs
  double pct_bound = 0;  // least probability per run of hitting a bug of the given depth; 0 where no bound holds
  bool interrupted = false;  // by a budget of time or memory or by the user: counts are then not reproducible
  double time_s = 0;
  search_counts counts;
  std::optional<graph_certificate> certificate;  // PROVED by execution graphs only
  std::vector<std::uint64_t> executions_by_bound;  // cumulative executions_distinct at 0, 1, ... preemptions
  std::vector<std::pair<std::string, std::uint64_t>> metrics;  // see check_options::metrics, summed over the runs
  std::vector<finding> findings;  // one per signature, in order of their first run
  std::vector<trace_step> trace;  // replay() of a schedule that passes: its steps

  [[nodiscard]] bool passed() const;  // proved, exhausted or not_found
};

// Several lines for a person: verdict, claim, and for a violation what broke, where, and the schedule that repeats it.
std::ostream& operator<<(std::ostream&, const result&);

}  // namespace kvrace
