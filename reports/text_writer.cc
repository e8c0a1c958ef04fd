// Written for a reader who has been woken up: verdict, then what broke, then the evidence, and last the line to type.
#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <ostream>

#include "reports/plain_text.h"
#include "reports/report.h"
#include "reports/rollout_table.h"
#include "reports/step_text.h"
#include "reports/trace_table.h"
#include "reports/traffic_table.h"

namespace kvrace::reports {
namespace {

constexpr std::size_t findings_in_full = 3;
constexpr std::size_t findings_named = 100;  // the others are counted
constexpr std::size_t replays_named = 10;
constexpr std::size_t ledger_lines = 40;  // of a longer ledger, the last ones are shown
constexpr std::size_t label_width = 12;

class writer {
 public:
  writer(std::ostream& out, const presentation& how) : out_(out), how_(how) {}

  void write(const report& facts) {
    const std::uint64_t first_number = number_ + 1;
    write_head(facts);
    const std::vector<finding>& findings = facts.result.findings;
    const std::size_t named = how_.everything ? findings.size() : std::min(findings.size(), findings_named);
    for (std::size_t i = 0; i < named; ++i) write_finding(facts, i);
    if (named < findings.size()) out_ << "\n... " << counted(findings.size() - named, "more finding") << '\n';
    number_ += findings.size();
    for (const report& small : facts.shrunk) number_ += small.result.findings.size();
    if (facts.passing && findings.empty()) write_passing(*facts.passing);
    out_ << '\n';
    if (facts.traffic) {
      write_traffic_table(out_, *facts.traffic, how_);
      out_ << '\n';
    }
    for (std::size_t i = 0; i < facts.rollouts.size(); ++i) {
      write_rollout_table(out_, facts.rollouts[i], i + 1, how_);
      out_ << '\n';
    }
    write_facts(facts);
    write_replay(facts, first_number);
  }

 private:
  void write_head(const report& facts) {
    const kvrace::verdict verdict = facts.result.verdict;
    out_ << colour_of(verdict) << to_string(verdict) << plain() << "  " << printable(facts.scenario.name) << '\n';
    if (!facts.result.claim.empty()) paragraph("", facts.result.claim, 2);
    if (facts.result.interrupted)
      paragraph("", "Ended early, by a budget of time or memory or by hand: the counts differ from run to run.", 2);
  }

  // The run that is shown is that of what it shrank to, if there is one: JSON has both. Numbers are those that --finding takes.
  void write_finding(const report& facts, std::size_t index) {
    const finding& found = facts.result.findings[index];
    const finding& shown = shown_finding(facts, index);
    out_ << '\n';
    std::string title = "Finding " + std::to_string(number_ + index + 1) + ": " + found.oracle;
    if (!found.subject.empty()) title += ", " + found.subject;
    title += ", step " + std::to_string(found.step) + " of run " + std::to_string(found.run);
    if (const std::uint64_t time_ns = failing_time(found); time_ns != 0) title += ", at " + time_text(time_ns);
    if (found.occurrences != 1) title += ", seen in " + counted(found.occurrences, "run");
    heading(title, 0);
    paragraph("", found.message, 2);
    for (const source_site& site : found.sites) out_ << "  at " << place_text(found, site) << '\n';
    if (index >= findings_in_full && !how_.everything) return;
    out_ << '\n';
    if (&shown != &found) {
      paragraph("", facts.shrunk.front().result.claim, 2);
      const std::uint64_t number = number_ + facts.result.findings.size() + 1;
      heading("Finding " + std::to_string(number) + ", what is left of it, at step " + std::to_string(shown.step) + ": " +
                  shown.message,
              2);
      out_ << '\n';
    }
    write_trace_table(out_, shown, how_);
    write_ledger(shown);
  }

  static std::uint64_t failing_time(const finding& found) {
    for (std::size_t i = found.trace.size(); i-- > 0;)
      if (failed_at(found, i)) return found.trace[i].time_ns;
    return 0;
  }

  // What was done there, or that it is where an oracle looks at what was done. To be copied: it is not wrapped.
  static std::string place_text(const finding& found, const source_site& site) {
    std::string text = printable(site.file);
    if (site.line != 0) text += ':' + std::to_string(site.line);
    const auto done = [&](const trace_step& step) { return step.site == site && step.object == found.subject; };
    const auto step = std::find_if(found.trace.rbegin(), found.trace.rend(), done);
    if (step == found.trace.rend()) return text + ", where the oracle failed";
    return text + ", step " + std::to_string(step->step) + ": " + task_name(found.tasks, step->task) + ", " + step_text(*step);
  }

  void write_passing(const passing_run& run) {
    if (run.trace.empty()) return;
    out_ << '\n';
    finding shown;
    shown.tasks = run.tasks;
    shown.trace = run.trace;
    write_trace_table(out_, shown, how_);
  }

  void write_ledger(const finding& found) {
    std::vector<const ledger_event*> events;
    for (const ledger_event& event : found.ledger) {
      if (found.subject.empty() || event.subject == found.subject) events.push_back(&event);
    }
    const bool all = events.empty() || found.subject.empty();
    if (events.empty()) {
      for (const ledger_event& event : found.ledger) events.push_back(&event);
    }
    if (events.empty()) return;
    out_ << "\n  Ledger" << (all ? "" : " of " + printable(found.subject)) << '\n';
    std::size_t first = 0;
    if (events.size() > ledger_lines && !how_.everything) {
      first = events.size() - ledger_lines;
      out_ << "    ... " << counted(first, "earlier event") << '\n';
    }
    const std::size_t step_width = std::to_string(events.back()->step).size();
    std::size_t task_width = 0;
    std::size_t event_width = 0;
    for (std::size_t i = first; i < events.size(); ++i) {
      task_width = std::max(task_width, width(task_name(found.tasks, events[i]->task)));
      event_width = std::max(event_width, width(event_name(*events[i], all)));
    }
    for (std::size_t i = first; i < events.size(); ++i) {
      const ledger_event& event = *events[i];
      const std::string step = std::to_string(event.step);
      std::string start = std::string(4 + step_width - std::min(step_width, step.size()), ' ') + step + "  " +
                          fit(task_name(found.tasks, event.task), task_width) + "  " + fit(event_name(event, all), event_width) +
                          "  ";
      start = elide(start, how_.columns - 20);
      const std::size_t margin = width(start);
      for (const std::string& detail : wrap(printable(event.detail), how_.columns - margin)) {
        std::string line = start + detail;
        line.erase(line.find_last_not_of(' ') + 1);
        out_ << line << '\n';
        start.assign(margin, ' ');
      }
    }
  }

  void write_facts(const report& facts) {
    const result& found = facts.result;
    write_counts(found);
    if (!found.executions_by_bound.empty()) {
      std::string text;
      for (std::size_t i = 0; i < found.executions_by_bound.size(); ++i) {
        text += (i == 0 ? "" : ", ") + std::to_string(found.executions_by_bound[i]);
      }
      paragraph("executions", text + " with up to 0, 1, ... preemptions", 0);
    }
    if (found.certificate) write_certificate(*found.certificate);
    for (const rate& r : facts.rates) paragraph(r.name, rate_text(r), 0);
    if (!found.strategy.empty())
      paragraph("strategy", found.strategy + (sampled(found) ? ", seed " + std::to_string(found.seed) : ""), 0);
    if (found.pct_bound > 0) {
      char text[64];
      std::snprintf(text, sizeof text, "at least %.3g per run for a bug of that depth", found.pct_bound);
      paragraph("chance", text, 0);
    }
    std::string bounds;
    for (const bound& b : facts.bounds) bounds += (bounds.empty() ? "" : ", ") + b.name + ' ' + b.value;
    if (!bounds.empty()) paragraph("bounds", bounds, 0);
    char digest[24];
    std::snprintf(digest, sizeof digest, "0x%016" PRIx64, facts.scenario.digest);
    paragraph("scenario", facts.scenario.path + (facts.scenario.path.empty() ? "" : ", ") + "digest " + digest, 0);
    paragraph("build",
              "kvrace " + facts.build.project_version + ", " + facts.build.compiler + ", " + facts.build.build_type + ", " +
                  facts.build.target,
              0);
    if (!facts.expectation.expected.empty()) paragraph("expected", facts.expectation.expected, 0);
    const std::string outcome = facts.expectation.outcome.empty() ? "" : facts.expectation.outcome + ", ";
    paragraph("outcome", outcome + "exit code " + std::to_string(facts.expectation.exit_code), 0);
  }

  void write_counts(const result& found) {
    const search_counts& counts = found.counts;
    std::string text;
    const auto add = [&text](const std::string& words) { text += (text.empty() ? "" : ", ") + words; };
    const auto add_unless_zero = [&add](std::uint64_t value, const std::string& words) {
      if (value != 0) add(words);
    };
    const auto add_steps = [&] {
      add(counted(counts.steps, "step"));
      add(counted(counts.decisions, "decision"));
      add(counted(counts.switches, "switch"));
    };
    const bool varies = effort_varies(counts);
    if (!varies) add(counted(counts.runs, "schedule"));
    add_unless_zero(counts.schedules_distinct, std::to_string(counts.schedules_distinct) + " of them different");
    add_unless_zero(counts.violations, std::to_string(counts.violations) + " with a violation");
    add_unless_zero(counts.blocked, std::to_string(counts.blocked) + " stopped by an assumption");
    if (!varies) add_steps();
    add_unless_zero(counts.executions_distinct, counted(counts.executions_distinct, "different execution"));
    add_unless_zero(counts.states_distinct, counted(counts.states_distinct, "different state"));
    add_unless_zero(counts.states_open, counted(counts.states_open, "state") + " left open");
    paragraph("counts", text, 0);
    char seconds[32];
    std::snprintf(seconds, sizeof seconds, "%.2f s", found.time_s);
    text = seconds;
    if (varies) {
      add(counted(counts.runs, "schedule"));
      add_steps();
    }
    paragraph("time", text, 0);
  }

  void write_certificate(const graph_certificate& made) {
    const std::string compared =
        made.compared == made.complete ? "all compared" : "a sample of " + std::to_string(made.compared) + " compared";
    paragraph("certificate",
              counted(made.complete, "complete graph") + ", " + std::to_string(made.blocked) + " blocked, " +
                  std::to_string(made.duplicates) + " met twice (" + compared + "), digest " + digest_text(made),
              0);
  }

  void write_replay(const report& facts, std::uint64_t first_number) {
    const bool any = std::ranges::any_of(facts.replay_commands, [](const std::string& command) { return !command.empty(); });
    if (!any) return;
    out_ << '\n';
    const bool several = facts.replay_commands.size() > 1;
    const std::size_t named =
        how_.everything ? facts.replay_commands.size() : std::min(facts.replay_commands.size(), replays_named);
    for (std::size_t i = 0; i < named; ++i) {
      if (facts.replay_commands[i].empty()) continue;
      out_ << "Replay" << (several ? " finding " + std::to_string(first_number + i) : "") << ": "
           << printable(facts.replay_commands[i]) << '\n';
    }
    for (const report& small : facts.shrunk) {
      for (const std::string& command : small.replay_commands) {
        if (command.empty()) continue;
        out_ << "Replay what it shrinks to: " << printable(command) << '\n';
        if (small.passing && command.starts_with("kvrace replay "))
          out_ << "Replay what passes nearby: " << printable(command) << " --passing\n";
      }
    }
  }

  // Exhaustive searches and replays have no use for a seed.
  static bool sampled(const result& found) { return found.seed != 0 || found.counts.schedules_distinct != 0; }

  static std::string rate_text(const rate& r) {
    if (r.denominator == 0) return "no data";
    char percent[32];
    std::snprintf(percent, sizeof percent, "%.2f %%",
                  100.0 * static_cast<double>(r.numerator) / static_cast<double>(r.denominator));
    return std::string(percent) + " (" + std::to_string(r.numerator) + " of " + std::to_string(r.denominator) + ')';
  }

  static std::string event_name(const ledger_event& event, bool with_subject) {
    return printable(with_subject && !event.subject.empty() ? event.subject + ": " + event.event : event.event);
  }

  void heading(const std::string& text, std::size_t indent) {
    out_ << bold();
    paragraph("", text, indent);
    out_ << plain();
  }

  // Wrapped text, with a label in front of its first line or indented.
  void paragraph(const std::string& label, const std::string& text, std::size_t indent) {
    const std::size_t margin = label.empty() ? indent : label_width;
    std::string start = label.empty() ? std::string(indent, ' ') : fit(printable(label), label_width);
    for (const std::string& line : wrap(printable(text), how_.columns - margin)) {
      out_ << start << line << '\n';
      start.assign(margin, ' ');
    }
  }

  [[nodiscard]] const char* colour_of(kvrace::verdict verdict) const {
    if (!how_.colour) return "";
    switch (verdict) {
      case kvrace::verdict::proved:
      case kvrace::verdict::exhausted:
      case kvrace::verdict::not_found: return "\x1b[1;32m";
      case kvrace::verdict::violation:
      case kvrace::verdict::unsound: return "\x1b[1;31m";
      case kvrace::verdict::incomplete: return "\x1b[1;33m";
    }
    return "";
  }
  [[nodiscard]] const char* bold() const { return how_.colour ? "\x1b[1m" : ""; }
  [[nodiscard]] const char* plain() const { return how_.colour ? "\x1b[0m" : ""; }

  std::ostream& out_;
  presentation how_;
  std::uint64_t number_ = how_.findings_before;  // of the findings so far
};

}  // namespace

void write_text(std::ostream& out, std::span<const report> reports, const presentation& how) {
  bool first = true;
  writer each(out, how);
  for (const report& facts : reports) {
    if (!first) out << '\n' << std::string(how.columns, '-') << "\n\n";
    first = false;
    each.write(facts);
  }
}

}  // namespace kvrace::reports
