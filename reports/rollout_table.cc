#include "reports/rollout_table.h"

#include <array>
#include <cstdio>
#include <ostream>
#include <string>
#include <utility>

#include "reports/plain_text.h"

namespace kvrace::reports {
namespace {

constexpr std::size_t indent = 2;
constexpr std::size_t lines_max = 60;
constexpr std::size_t alerts_max = 20;

std::string number_text(double value, const char* format) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

std::string similarity_of(const rollout_population& of) {
  return of.similarity_count == 0 ? "-" : number_text(of.similarity_mean, "%.4f");
}

std::string hit_of(const rollout_population& of) { return percent_of(of.tokens_hit, of.tokens_queried); }

struct column {
  const char* head;
  std::size_t width;
  std::string (*cell)(const rollout_point&);
};

// The most telling first. What is told of the candidate stands beside the same of its baseline.
constexpr std::array<column, 11> columns = {{
    {"at s", 8, [](const rollout_point& p) { return number_text(p.time_s, "%.6g"); }},
    {"share", 7, [](const rollout_point& p) { return percent_of(p.candidate_permille, 1000); }},
    {"decision", 11, [](const rollout_point& p) { return p.decision; }},
    {"judged", 12, [](const rollout_point& p) { return p.judgement; }},
    {"queries", 9, [](const rollout_point& p) { return std::to_string(p.candidate.queries); }},
    {"hit", 8, [](const rollout_point& p) { return hit_of(p.candidate); }},
    {"base", 8, [](const rollout_point& p) { return hit_of(p.baseline); }},
    {"similar", 9, [](const rollout_point& p) { return similarity_of(p.candidate); }},
    {"base", 8, [](const rollout_point& p) { return similarity_of(p.baseline); }},
    {"wrong", 8, [](const rollout_point& p) { return percent_of(p.candidate.polluted, p.candidate.queries); }},
    {"triggers", 10, [](const rollout_point& p) { return percent_of(p.candidate.queries_triggering, p.candidate.queries); }},
}};

class table {
 public:
  table(std::ostream& out, const presentation& how) : out_(out), how_(how) {
    std::size_t width = indent;
    while (shown_ < columns.size() && width + columns[shown_].width <= how.columns) width += columns[shown_++].width;
  }

  void write(const rollout_facts& facts) {
    line([](const column& each) { return std::string(each.head); });
    std::size_t lines = 0;
    for (std::size_t i = 0; i < facts.points.size(); ++i) {
      const std::size_t alike = how_.everything ? 0 : alike_from(facts, i);
      if (alike > 1) {
        note(alike, "alike");
        i += alike;
      }
      if (!how_.everything && lines++ == lines_max) return note(facts.points.size() - i, "more");
      line([&](const column& each) { return printable(each.cell(facts.points[i])); });
    }
  }

 private:
  // How many from `at` on are as the one before and as the one after.
  static std::size_t alike_from(const rollout_facts& facts, std::size_t at) {
    std::size_t count = 0;
    while (at != 0 && at + count + 1 < facts.points.size() && same(facts.points[at - 1], facts.points[at + count]) &&
           same(facts.points[at - 1], facts.points[at + count + 1]))
      ++count;
    return count;
  }
  static bool same(const rollout_point& a, const rollout_point& b) {
    return a.candidate_permille == b.candidate_permille && a.judgement == b.judgement && a.decision == b.decision &&
           a.failed == b.failed;
  }

  void note(std::size_t count, const char* what) { out_ << std::string(indent, ' ') << "... " << count << ' ' << what << '\n'; }
  template <class Cell>
  void line(Cell cell) {
    std::string text(indent, ' ');
    for (std::size_t i = 0; i < shown_; ++i) {
      const std::string content = elide(cell(columns[i]), columns[i].width - 1);
      text += std::string(columns[i].width - width(content), ' ') + content;
    }
    out_ << text << '\n';
  }

  std::ostream& out_;
  const presentation& how_;
  std::size_t shown_ = 0;
};

std::string served_text(const rollout_served& served) {
  return std::to_string(served.wrong) + " of " + std::to_string(served.served) + " (" + percent_of(served.wrong, served.served) +
         ")";
}

std::string alert_text(const rollout_alert& alert) {
  std::string text = "alert " + alert.name + ": pending from " + seconds_of(alert.pending_s);
  if (alert.firing_s) text += ", firing from " + seconds_of(*alert.firing_s);
  text += alert.resolved_s ? ", resolved at " + seconds_of(*alert.resolved_s) : std::string(", not resolved");
  return text;
}

}  // namespace

std::string percent_of(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return "-";
  return number_text(100.0 * static_cast<double>(part) / static_cast<double>(whole), "%.4g") + "%";
}

std::string seconds_of(double time) { return number_text(time, "%.9g") + " s"; }

void write_rollout_table(std::ostream& out, const rollout_facts& facts, std::size_t number, const presentation& how) {
  const auto paragraph = [&](const std::string& text, std::size_t by) {
    for (const std::string& line : wrap(printable(text), how.columns - by)) out << std::string(by, ' ') << line << '\n';
  };
  std::string head = "Rollout " + std::to_string(number) + ", begun at " + seconds_of(facts.start_s) + ": " + facts.outcome;
  if (facts.decided_s) head += " at " + seconds_of(*facts.decided_s);
  paragraph(facts.reason.empty() ? head : head + ": " + facts.reason, 0);
  std::string wrong = "served wrong until then: " + served_text(facts.until_decided);
  if (facts.without_canary) wrong += "; without a canary: " + served_text(*facts.without_canary);
  paragraph(wrong, indent);
  for (std::size_t i = 0; i < facts.alerts.size() && (how.everything || i < alerts_max); ++i)
    paragraph(alert_text(facts.alerts[i]), indent);
  if (!how.everything && facts.alerts.size() > alerts_max)
    paragraph("... " + std::to_string(facts.alerts.size() - alerts_max) + " more alerts", indent);
  table(out, how).write(facts);
}

}  // namespace kvrace::reports
