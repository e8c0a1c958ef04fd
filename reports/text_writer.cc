// Written for a reader who has been woken up: verdict, then what broke, then the evidence, and last the line to type.
#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <ostream>

#include "reports/plain_text.h"
#include "reports/report.h"
#include "reports/trace_table.h"
#include "reports/traffic_table.h"

namespace kvrace::reports {
namespace {

constexpr std::size_t findings_in_full = 3;
constexpr std::size_t ledger_lines = 40;  // of a longer ledger, the last ones are shown
constexpr std::size_t label_width = 12;

class writer {
 public:
  writer(std::ostream& out, const presentation& how) : out_(out), how_(how) {}

  void write(const report& facts) {
    write_head(facts);
    const std::vector<finding>& findings = facts.result.findings;
    for (std::size_t i = 0; i < findings.size(); ++i)
      write_finding(findings[i], i + 1, findings.size(), i == 0 && !facts.shrunk.empty() ? &facts.shrunk.front() : nullptr);
    out_ << '\n';
    if (facts.traffic) {
      write_traffic_table(out_, *facts.traffic, how_);
      out_ << '\n';
    }
    write_facts(facts);
    write_replay(facts);
  }

 private:
  void write_head(const report& facts) {
    const kvrace::verdict verdict = facts.result.verdict;
    out_ << colour_of(verdict) << to_string(verdict) << plain() << "  " << printable(facts.scenario.name) << '\n';
    if (!facts.result.claim.empty()) paragraph("", facts.result.claim, 2);
    if (facts.result.interrupted)
      paragraph("", "Ended early, by a budget of time or memory or by hand: the counts differ from run to run.", 2);
  }

  // With `shrunk`, its run is the one that is shown: JSON has both.
  void write_finding(const finding& found, std::size_t number, std::size_t total, const report* shrunk) {
    out_ << '\n';
    std::string title = "Finding " + std::to_string(number) + " of " + std::to_string(total) + ": " + found.oracle;
    if (!found.subject.empty()) title += ", " + found.subject;
    title += ", step " + std::to_string(found.step) + " of run " + std::to_string(found.run);
    if (found.occurrences != 1) title += ", seen in " + std::to_string(found.occurrences) + " runs";
    out_ << bold();
    paragraph("", title, 0);
    out_ << plain();
    paragraph("", found.message, 2);
    for (const source_site& site : found.sites) {
      out_ << "  at " << printable(site.file);
      if (site.line != 0) out_ << ':' << site.line;
      out_ << '\n';
    }
    if (number > findings_in_full) return;
    out_ << '\n';
    const finding& shown = shrunk != nullptr && !shrunk->result.findings.empty() ? shrunk->result.findings.front() : found;
    if (&shown != &found) {
      paragraph("", shrunk->result.claim, 2);
      paragraph("", "What is left, at step " + std::to_string(shown.step) + ": " + shown.message, 2);
      out_ << '\n';
    }
    write_trace_table(out_, shown, how_);
    write_ledger(shown);
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
    if (events.size() > ledger_lines) {
      first = events.size() - ledger_lines;
      out_ << "    ... " << first << " earlier events\n";
    }
    std::size_t step_width = std::to_string(events.back()->step).size();
    std::size_t task_width = 0;
    std::size_t event_width = 0;
    for (std::size_t i = first; i < events.size(); ++i) {
      task_width = std::max(task_width, width(task_name(found, events[i]->task)));
      event_width = std::max(event_width, width(event_name(*events[i], all)));
    }
    for (std::size_t i = first; i < events.size(); ++i) {
      const ledger_event& event = *events[i];
      const std::string step = std::to_string(event.step);
      std::string line = std::string(4 + step_width - std::min(step_width, step.size()), ' ') + step + "  " +
                         fit(task_name(found, event.task), task_width) + "  " + fit(event_name(event, all), event_width) + "  " +
                         printable(event.detail);
      line = elide(line, how_.columns);
      line.erase(line.find_last_not_of(' ') + 1);
      out_ << line << '\n';
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
    const auto add = [&text](std::uint64_t value, const char* name, bool always) {
      if (value != 0 || always) text += (text.empty() ? "" : ", ") + std::to_string(value) + ' ' + name;
    };
    const auto add_steps = [&] {
      add(counts.steps, "steps", true);
      add(counts.decisions, "decisions", true);
      add(counts.switches, "switches", true);
    };
    const bool varies = effort_varies(counts);
    if (!varies) add(counts.runs, "schedules", true);
    add(counts.schedules_distinct, "of them different", false);
    add(counts.violations, "with a violation", false);
    add(counts.blocked, "stopped by an assumption", false);
    if (!varies) add_steps();
    add(counts.executions_distinct, "different executions", false);
    add(counts.states_distinct, "different states", false);
    add(counts.states_open, "states left open", false);
    paragraph("counts", text, 0);
    char seconds[32];
    std::snprintf(seconds, sizeof seconds, "%.2f s", found.time_s);
    text = seconds;
    if (varies) {
      add(counts.runs, "schedules", true);
      add_steps();
    }
    paragraph("time", text, 0);
  }

  void write_certificate(const graph_certificate& made) {
    const std::string compared =
        made.compared == made.complete ? "all compared" : "a sample of " + std::to_string(made.compared) + " compared";
    paragraph("certificate",
              std::to_string(made.complete) + " complete graphs, " + std::to_string(made.blocked) + " blocked, " +
                  std::to_string(made.duplicates) + " met twice (" + compared + "), digest " + digest_text(made),
              0);
  }

  void write_replay(const report& facts) {
    const bool any = std::ranges::any_of(facts.replay_commands, [](const std::string& command) { return !command.empty(); });
    if (!any) return;
    out_ << '\n';
    const bool several = facts.replay_commands.size() > 1;
    for (std::size_t i = 0; i < facts.replay_commands.size(); ++i) {
      if (facts.replay_commands[i].empty()) continue;
      out_ << "Replay" << (several ? " finding " + std::to_string(i + 1) : "") << ": " << printable(facts.replay_commands[i])
           << '\n';
    }
    for (const report& small : facts.shrunk)
      for (const std::string& command : small.replay_commands)
        if (!command.empty()) out_ << "Replay what it shrinks to: " << printable(command) << '\n';
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

  static std::string task_name(const finding& found, unsigned task) {
    return task < found.tasks.size() && !found.tasks[task].empty() ? printable(found.tasks[task])
                                                                   : "task " + std::to_string(task);
  }

  static std::string event_name(const ledger_event& event, bool with_subject) {
    return printable(with_subject && !event.subject.empty() ? event.subject + ": " + event.event : event.event);
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
};

}  // namespace

void write_text(std::ostream& out, std::span<const report> reports, const presentation& how) {
  bool first = true;
  for (const report& facts : reports) {
    if (!first) out << '\n' << std::string(how.columns, '-') << "\n\n";
    first = false;
    writer(out, how).write(facts);
  }
}

}  // namespace kvrace::reports
