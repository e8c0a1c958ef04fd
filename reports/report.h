// A report: what one scenario was asked and what was found out, as plain facts. It knows no cache; formats only print it.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <kvrace/result.h>

#include "reports/input_error.h"
#include "reports/rollout.h"

namespace kvrace::reports {

// The question, as it was read.
struct scenario_facts {
  std::string name;
  std::string path;          // as given on the command line; empty for a report's own copy
  std::uint64_t digest = 0;  // over `text`
  std::string text;          // the scenario file, byte for byte: a report can be replayed without it
};

// A quotient of two counts. 0/0 is "no data", never 0.
struct rate {
  std::string name;  // "pollution", "ghost", "stale", "hit"
  std::uint64_t numerator = 0;
  std::uint64_t denominator = 0;
};

// Where a search counts states, how many runs that took depends on how many processes shared it and who explored what when: it
// stands with the timing.
[[nodiscard]] inline bool effort_varies(const search_counts& counts) { return counts.states_distinct != 0; }

// A stretch of virtual time in which requests arrived and were served. Counts are sums over the runs, the maxima over all of
// them; every request counts where it arrives, ends or is audited.
struct traffic_window {
  double start_s = 0;
  double length_s = 0;  // of one run, on average
  std::uint64_t arrivals = 0;
  // How requests ended: one of these three.
  std::uint64_t completed = 0;
  std::uint64_t cancelled = 0;
  std::uint64_t invalidations = 0;
  std::uint64_t starved = 0;  // of the completed and the cancelled ones: went on without a block that could not be had
  double qps_offered = 0;     // arrivals a second, up to the last one
  double qps_reached = 0;     // ends a second
  struct level {
    double mean = 0;
    std::uint64_t max = 0;
  };
  level in_flight;
  level queued;               // arrived, and no worker is free
  // From arrival to end, of the completed ones.
  struct latency {
    double p50 = 0;
    double p90 = 0;
    double p99 = 0;
    double max = 0;
  };
  latency latency_ms;
  std::vector<rate> rates;
};

struct traffic_facts {
  traffic_window total;
  std::vector<traffic_window> windows;  // in order; the last one goes on until every request has ended
};

// A limit the claim is subject to.
struct bound {
  std::string name;   // "tasks", "operations per task", "preemptions", "memory model"
  std::string value;  // "2", "sequential consistency"
};

// What the scenario asked for and how it came out.
struct expectation_facts {
  std::string expected;  // "violation ghost_entry", "verdict proved"; empty if it asked for nothing
  std::string outcome;   // one sentence: "found as expected", "expected proved, got EXHAUSTED"
  bool met = false;
  int exit_code = 0;     // of this scenario alone
};

// Free of anything that differs between two builds of the same sources with the same tools.
struct build_fingerprint {
  std::string project_version;  // "0.1.0"
  std::string compiler;         // "Clang 19.1.7"
  std::string build_type;       // "Release"
  std::string target;           // "Linux x86_64"
  friend bool operator==(const build_fingerprint&, const build_fingerprint&) = default;
};
[[nodiscard]] build_fingerprint this_build();

// Which part this is of a command whose scenarios were dealt to several processes or machines, one after the other in turn.
struct shard_facts {
  unsigned index = 1;  // from 1
  unsigned count = 1;
  std::uint64_t scenarios = 0;  // of the whole command
  std::uint64_t command = 0;    // a digest over the scenarios and options of the whole command
  friend bool operator==(const shard_facts&, const shard_facts&) = default;
};

// A run in which no oracle failed.
struct passing_run {
  kvrace::schedule schedule;
  std::vector<std::string> tasks;  // names, by task id; empty if they are not known
  std::vector<trace_step> trace;
};

struct report {
  scenario_facts scenario;
  std::optional<shard_facts> shard;
  std::string mode;  // "run", "prove", "replay", "shrink"
  kvrace::result result;
  std::vector<rate> rates;
  std::optional<traffic_facts> traffic;  // of scenarios with traffic
  std::vector<rollout_facts> rollouts = {};  // one after the other
  std::vector<bound> bounds;
  expectation_facts expectation;
  // The command that repeats result.findings[i]; same length as result.findings.
  std::vector<std::string> replay_commands;
  // What result.findings.front() shrinks to, as a report of its own with mode "shrink"; none if it was not shrunk.
  std::vector<report> shrunk;
  // The nearest one to what a finding shrinks to; or what a replay showed.
  std::optional<passing_run> passing;
  build_fingerprint build = this_build();
};

// An oracle, and what it means that it failed.
struct rule {
  std::string name;
  std::string summary;
};

// How a format may use its output. Only the edge of the program looks at terminals and the environment: see presentation_for.
struct presentation {
  unsigned columns = 100;  // no line of the text form is wider, but for lines meant to be copied
  bool colour = false;
  bool everything = false;  // the text form folds no trace and cuts no list
  // Of the report file, before the first one that is written: commands count through all of it.
  std::uint64_t findings_before = 0;
  std::span<const rule> rules = {};  // for formats that explain what they name
};
// For a file descriptor: the terminal's width, but 60 columns at least; and colour if it is a terminal and TERM is not "dumb", or
// if CLICOLOR_FORCE is set and not 0, but not if NO_COLOR is set (https://no-color.org, https://bixense.com/clicolors). A
// variable that is empty is not set.
[[nodiscard]] presentation presentation_for(int descriptor);

// A format is one file that defines one writer, and one line in formats.cc.
struct format {
  std::string_view name;  // "json"
  std::string_view extension;  // ".json"
  std::string_view summary;  // one line, for --help
  void (*write)(std::ostream&, std::span<const report>, const presentation&);
  // Why this program cannot write it, for the end of a line; none, or an empty answer: it can.
  std::string_view (*missing)() = nullptr;
};
[[nodiscard]] std::span<const format> formats();
[[nodiscard]] const format* find_format(std::string_view name);  // nullptr if there is none
[[nodiscard]] const format* format_for_path(std::string_view path);  // by extension; nullptr if there is none

// One report is written as an object, several as an array; reports/schema/report.schema.json describes both. The same scenario,
// seed and build give the same bytes but for each report's `timing` block.
void write_json(std::ostream&, std::span<const report>, const presentation& = {});
// For a person. Ends with the line that repeats the finding, if there is one.
void write_text(std::ostream&, std::span<const report>, const presentation& = {});

// The others are named after their formats. Each has a bound on what it shows of one finding, and says what it left out.
void write_sarif(std::ostream&, std::span<const report>, const presentation& = {});
void write_junit(std::ostream&, std::span<const report>, const presentation& = {});
void write_github(std::ostream&, std::span<const report>, const presentation& = {});
void write_markdown(std::ostream&, std::span<const report>, const presentation& = {});
void write_trace_events(std::ostream&, std::span<const report>, const presentation& = {});
void write_prometheus(std::ostream&, std::span<const report>, const presentation& = {});
void write_dot(std::ostream&, std::span<const report>, const presentation& = {});
void write_svg(std::ostream&, std::span<const report>, const presentation& = {});
// One file for a browser, without anything from elsewhere: reports/page/. Needs html_missing() to be empty.
void write_html(std::ostream&, std::span<const report>, const presentation& = {});
[[nodiscard]] std::string_view html_missing();

// Reads what write_json writes or wrote: every schema_version up to the present one.
struct read_result {
  std::vector<report> reports;
  std::optional<input_error> error;  // set: `reports` is empty
};
[[nodiscard]] read_result read_json(std::string_view text);

// What a write to `path` creates or replaces: a link keeps pointing where it points, also to what is not there yet.
[[nodiscard]] std::string file_behind(const std::string& path);

// Writes all or nothing: a reader of `path` sees the old file or the whole new one, whenever this process is killed. Returns
// what went wrong, as one line, or nullopt.
[[nodiscard]] std::optional<std::string> write_file(const std::string& path, std::string_view content);

}  // namespace kvrace::reports
