// What a sweep measured, as plain facts, and the formats that print it: text with a picture, JSON, and a picture as SVG.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <utility>
#include <vector>

#include "reports/report.h"

namespace kvrace::reports {

// One load, over all seeds.
struct sweep_point {
  double qps = 0;
  std::uint64_t runs = 0;        // one a seed
  std::uint64_t violations = 0;  // runs in which an oracle failed
  std::uint64_t cut_short = 0;   // runs that did not end by themselves: what they measured is not in here
  std::uint64_t completed = 0;   // requests, of all runs
  std::uint64_t polluted = 0;
  // How they were polluted; a request may be so in several ways.
  std::vector<std::pair<std::string, std::uint64_t>> ways;
  // The share of polluted requests: its mean over the runs, and the interval of that mean.
  double mean = 0;
  double low = 0;
  double high = 0;
  // Means over the runs.
  double qps_reached = 0;
  double in_flight = 0;
  double p50_ms = 0;
  double p99_ms = 0;
  rate hit;
  std::uint64_t starved = 0;
};

struct sweep_curve {
  std::string locking;
  std::string flaw_set;
  std::vector<std::string> flaws;
  std::vector<sweep_point> points;
};

// What the scenario says must come out, beside what did.
struct sweep_answer {
  std::string expected;  // "from 0.15 % to 0.45 % at 100 requests a second with mutex, flaws 'incident'"
  std::string outcome;   // "0.31 %"
  bool met = false;
};

struct sweep_facts {
  scenario_facts scenario;
  std::uint64_t seed_first = 0;
  std::uint64_t seed_count = 0;
  std::uint64_t requests = 0;  // in a run, about
  std::string interval;        // which one it is
  std::vector<sweep_curve> curves;
  std::vector<sweep_answer> answers;
  expectation_facts expectation;
  std::string command;  // repeats it
  double time_s = 0;
  build_fingerprint build = this_build();
};

void write_sweep_text(std::ostream&, const sweep_facts&, const presentation& = {});
// reports/schema/sweep.schema.json describes it. The same scenario, options and build give the same bytes but for `timing`.
void write_sweep_json(std::ostream&, const sweep_facts&);
// A panel for each locking strategy, a curve for each set of flaws.
void write_sweep_svg(std::ostream&, const sweep_facts&);
// The page for a browser; html_missing() must be empty.
void write_sweep_html(std::ostream&, const sweep_facts&);

}  // namespace kvrace::reports
