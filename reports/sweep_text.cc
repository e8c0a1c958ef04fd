// A sweep for a reader at a terminal: what came out, a picture of each locking strategy's curves, the numbers, and the line to
// type.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <ostream>

#include "reports/plain_text.h"
#include "reports/sweep.h"
#include "reports/sweep_axes.h"

namespace kvrace::reports {
namespace {

constexpr std::size_t picture_rows = 12;  // above the line of zeros
constexpr std::size_t label_columns = 10;
constexpr std::size_t picture_columns_max = 100;
constexpr std::string_view marks = "ABCDEFGHIJKLMNOP";  // by set of flaws; a scenario has no more of them

std::string number_text(double value, int decimals) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

std::string share_of(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return "-";
  return number_text(100.0 * static_cast<double>(part) / static_cast<double>(whole), 0) + "%";
}

std::string way(const sweep_point& point, std::string_view name) {
  for (const auto& [each, count] : point.ways)
    if (each == name) return share_of(count, point.polluted);
  return "-";
}

struct table_column {
  const char* head;
  std::size_t width;
  std::string (*cell)(const sweep_point&);
};
// The most telling first. Of the ways, what is shown is their share in the polluted requests.
constexpr std::array<table_column, 11> table_columns = {{
    {"qps", 8, [](const sweep_point& p) { return load_text(p.qps); }},
    {"polluted", 10, [](const sweep_point& p) { return number_text(p.mean * 100, 3) + "%"; }},
    {"from", 9, [](const sweep_point& p) { return number_text(p.low * 100, 3) + "%"; }},
    {"to", 9, [](const sweep_point& p) { return number_text(p.high * 100, 3) + "%"; }},
    {"ghost", 7, [](const sweep_point& p) { return way(p, "ghost_entry"); }},
    {"stolen", 7, [](const sweep_point& p) { return way(p, "stolen_block"); }},
    {"rows", 7, [](const sweep_point& p) { return way(p, "foreign_rows"); }},
    {"reached", 9, [](const sweep_point& p) { return number_text(p.qps_reached, 1); }},
    {"flying", 7, [](const sweep_point& p) { return number_text(p.in_flight, 1); }},
    {"hit", 6, [](const sweep_point& p) { return share_of(p.hit.numerator, p.hit.denominator); }},
    {"p99 ms", 9, [](const sweep_point& p) { return number_text(p.p99_ms, 1); }},
}};

class writer {
 public:
  writer(std::ostream& out, const sweep_facts& facts, const presentation& how)
      : out_(out), facts_(facts), how_(how), axes_(facts), sets_(flaw_sets_of(facts)) {}

  void write() {
    head();
    for (const std::string& locking : lockings_of(facts_)) {
      out_ << '\n';
      picture(locking);
      for (const sweep_curve& curve : facts_.curves)
        if (curve.locking == locking) numbers(curve);
    }
    answers();
  }

 private:
  void paragraph(const std::string& text, std::size_t indent) {
    for (const std::string& line : wrap(printable(text), how_.columns - indent)) out_ << std::string(indent, ' ') << line << '\n';
  }

  void head() {
    out_ << (facts_.expectation.met ? "AS EXPECTED" : "NOT AS EXPECTED") << "  " << printable(facts_.scenario.name) << '\n';
    paragraph("Polluted of completed requests: mean over " + std::to_string(facts_.seed_count) + " seeds from " +
                  std::to_string(facts_.seed_first) + " on, a run of about " + std::to_string(facts_.requests) +
                  " requests each, with its interval (" + facts_.interval + "). A sample: 0 is no proof of absence.",
              2);
  }

  [[nodiscard]] char mark_of(const sweep_curve& curve) const {
    const auto at = static_cast<std::size_t>(std::find(sets_.begin(), sets_.end(), curve.flaw_set) - sets_.begin());
    return marks[std::min(at, marks.size() - 1)];
  }

  // Rows from the top; the last one is that of zeros. Where two curves meet, the later one shows.
  void picture(const std::string& locking) {
    const std::size_t columns = std::min<std::size_t>(how_.columns, picture_columns_max) - label_columns - 2;
    std::vector<std::string> rows(picture_rows + 1, std::string(columns, ' '));
    rows.back() = std::string(columns, '.');
    const auto column_of = [&](double qps) {
      return static_cast<std::size_t>(std::lround(axes_.across(qps) * static_cast<double>(columns - 1)));
    };
    const auto row_of = [&](double share) {
      return picture_rows - 1 - static_cast<std::size_t>(std::lround(axes_.up(share) * static_cast<double>(picture_rows - 1)));
    };
    for (const sweep_curve& curve : facts_.curves) {
      if (curve.locking != locking) continue;
      for (const sweep_point& point : curve.points)
        rows[point.mean > 0 ? row_of(point.mean) : picture_rows][column_of(point.qps)] = mark_of(curve);
    }
    std::vector<std::string> labels(picture_rows + 1);
    for (const double tick : axes_.ticks()) labels[row_of(tick)] = percent_text(tick);
    labels.back() = "0";
    out_ << "Polluted, by requests a second: " << printable(locking) << '\n';
    for (std::size_t row = 0; row < rows.size(); ++row)
      out_ << std::string(label_columns - labels[row].size(), ' ') << labels[row] << " |" << rows[row] << '\n';
    out_ << std::string(label_columns + 2, ' ') << load_labels(columns, column_of) << '\n';
  }

  // As many as fit without touching.
  template <class Column>
  [[nodiscard]] std::string load_labels(std::size_t columns, Column column_of) const {
    std::string line(columns, ' ');
    std::size_t free_from = 0;
    for (const double qps : axes_.loads()) {
      const std::string text = load_text(qps);
      if (text.size() > columns) continue;
      const std::size_t at = std::min(column_of(qps), columns - text.size());
      if (at < free_from) continue;
      line.replace(at, text.size(), text);
      free_from = at + text.size() + 1;
    }
    return line.substr(0, line.find_last_not_of(' ') + 1);
  }

  void numbers(const sweep_curve& curve) {
    std::string flaws;
    for (const std::string& each : curve.flaws) flaws += (flaws.empty() ? "" : ", ") + each;
    out_ << '\n';
    paragraph(std::string(1, mark_of(curve)) + "  " + curve.locking + ", flaws '" + curve.flaw_set + "'" +
                  (flaws.empty() ? ": none" : ": " + flaws),
              0);
    if (std::all_of(curve.points.begin(), curve.points.end(), [](const sweep_point& each) { return each.polluted == 0; })) {
      std::uint64_t completed = 0;
      for (const sweep_point& each : curve.points) completed += each.completed;
      paragraph(
          "0 polluted of " + std::to_string(completed) + " requests, at all " + std::to_string(curve.points.size()) + " loads.",
          2);
      return;
    }
    line([](const table_column& each) { return std::string(each.head); });
    for (const sweep_point& point : curve.points) line([&](const table_column& each) { return each.cell(point); });
  }

  template <class Cell>
  void line(Cell cell) {
    std::string text(2, ' ');
    for (const table_column& each : table_columns) {
      if (text.size() + each.width > how_.columns) break;
      const std::string content = cell(each);
      text += std::string(each.width > content.size() ? each.width - content.size() : 1, ' ') + content;
    }
    out_ << text << '\n';
  }

  void answers() {
    out_ << '\n';
    for (const sweep_answer& each : facts_.answers)
      paragraph((each.met ? "as expected: " : "NOT AS EXPECTED: ") + each.expected + ": " + each.outcome, 0);
    paragraph("expected " + facts_.expectation.expected + ": " + facts_.expectation.outcome, 0);
    out_ << "time        " << number_text(facts_.time_s, 3) << " s\n";
    out_ << "again       " << facts_.command << '\n';
  }

  std::ostream& out_;
  const sweep_facts& facts_;
  presentation how_;
  sweep_axes axes_;
  std::vector<std::string> sets_;
};

}  // namespace

void write_sweep_text(std::ostream& out, const sweep_facts& facts, const presentation& how) { writer(out, facts, how).write(); }

}  // namespace kvrace::reports
