// What the kvrace command does, once its arguments are known. Each returns an exit code; see outcome.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <kvrace/result.h>

#include "scenarios/report_target.h"

namespace kvrace::scenarios {

// Thrown for whatever the user can put right; what() is one line, ready to print after "kvrace: ".
class usage_error {
 public:
  explicit usage_error(std::string line) : line_(std::move(line)) {}
  [[nodiscard]] const std::string& line() const { return line_; }

 private:
  std::string line_;
};

struct search_command {
  bool prove = false;  // explore with the bounded search, whatever the files say
  std::vector<std::string> scenarios;
  bool all = false;    // the embedded ones; to prove, those without traffic
  std::optional<std::uint64_t> seed;
  std::optional<std::uint64_t> runs;
  bool shrink = false;  // the first finding of each scenario, within a budget of counts
  unsigned jobs = 1;
  std::optional<double> time_s;  // per scenario
  std::optional<unsigned> preemptions_max;
  std::optional<std::uint64_t> states_max;
  std::optional<std::uint64_t> memory_bytes_max;
  std::optional<kvrace::memory_model> memory_model;  // prove by execution graphs
  std::string checkpoint;  // of a proof by execution graphs: the file it is kept in; empty: none
  std::string resume;      // the file of one to go on with; empty: none
  std::string trace;   // the file of the scenarios' trace, in the place of the one they name; empty: that one
  std::string report;  // as report_target takes it
  std::optional<std::pair<unsigned, unsigned>> shard;  // the part asked for, from 1, and how many there are
  output_style style;
};
// Everything is read and checked before the first run.
int run_searches(const search_command&);

struct replay_command {
  std::string file;       // a report; a scenario if there is a schedule
  std::optional<std::string> schedule;
  std::uint64_t finding = 1;
  std::string trace;  // as in search_command
  bool passing = false;  // the run nearby that passes, in its place
  std::string report;
  output_style style;
};
int run_replay(const replay_command&);

struct shrink_command {
  std::string file;  // a report
  std::uint64_t finding = 1;
  std::uint64_t runs = 200'000;  // budget
  std::string trace;  // as in search_command
  std::string report;
  output_style style;
};
int run_shrink(const shrink_command&);

struct sweep_command {
  std::string scenario;
  // What takes the place of the scenario's own grid; empty or nothing: it stays.
  std::vector<double> qps;
  std::vector<std::string> locking;
  std::vector<std::string> flaw_sets;
  std::optional<std::pair<std::uint64_t, std::uint64_t>> seeds;  // the first and the last
  std::optional<std::uint64_t> requests;                         // in a run
  unsigned jobs = 1;
  std::string report;   // as report_target takes it; a picture if it ends in .svg
  std::string picture;  // the file of a picture; empty: none
};
int run_sweep(const sweep_command&);

int run_list();
int run_corpus();
// Mutants of the simulated cache, and what finds them.
int run_mutants();
// Strategies compared on the programs of the literature.
int run_comparison();

}  // namespace kvrace::scenarios
