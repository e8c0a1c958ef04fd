#include "reports/trace_table.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <ostream>
#include <ranges>

#include "reports/plain_text.h"
#include "reports/step_text.h"

namespace kvrace::reports {
namespace {

constexpr std::size_t rows_unfolded = 48;   // a trace this short is shown whole
constexpr std::size_t rows_around = 1;      // shown on either side of a row that matters
constexpr std::size_t rows_mattering = 60;  // of more, the first and the last are kept
constexpr std::size_t column_min = 16;      // columns cut narrower are merged into one, with the task's name in each row
constexpr std::size_t column_max = 48;
constexpr std::size_t column_with_sites_min = 24;  // rather than cutting columns below this, sites are left out
constexpr std::size_t site_max = 28;

// A step, the beginning or the end of a call, or an event in the life of the subject.
struct row {
  std::uint64_t step = 0;
  const trace_step* executed = nullptr;  // of a step
  unsigned task = 0;
  std::string text;
  bool event = false;
  bool failed = false;  // the oracle failed at this step

  [[nodiscard]] bool matters() const {
    return failed || event || (executed != nullptr && (executed->decisive || executed->preempts));
  }
  [[nodiscard]] std::string marks() const {
    const bool decisive = executed != nullptr && executed->decisive;
    const bool preempts = executed != nullptr && executed->preempts;
    return std::string{failed ? 'X' : ' ', preempts ? '!' : ' ', decisive ? '*' : ' '};
  }
};

// What happens between the steps of a finding, by the step that precedes it.
class between {
 public:
  explicit between(const finding& found) : found_(found) {
    for (std::size_t i = 0; i < found.operations.size(); ++i) {
      calls_.emplace(found.operations[i].step_call, i);
      returns_.emplace(found.operations[i].step_return, i);
    }
    for (std::size_t i = 0; i < found.ledger.size(); ++i)
      if (!found.subject.empty() && found.ledger[i].subject == found.subject) events_.emplace(found.ledger[i].step, i);
  }

  // Of the calls and returns at one step, the end of an earlier call comes first.
  void append_calls(std::vector<row>& rows, std::uint64_t step) const {
    for (const std::size_t i : at(returns_, step)) {
      const operation_record& operation = found_.operations[i];
      if (operation.step_call < step)
        rows.push_back({.step = step, .task = operation.task, .text = printable("< " + operation.returned)});
    }
    for (const std::size_t i : at(calls_, step)) {
      const operation_record& operation = found_.operations[i];
      rows.push_back({.step = step, .task = operation.task, .text = printable("> " + operation.call)});
      if (operation.step_return == step && step != 0)
        rows.push_back({.step = step, .task = operation.task, .text = printable("< " + operation.returned)});
    }
  }

  void append_events(std::vector<row>& rows, std::uint64_t step) const {
    for (const std::size_t i : at(events_, step)) {
      const ledger_event& event = found_.ledger[i];
      rows.push_back(
          {.step = step, .task = event.task, .text = printable("= " + event.event + ' ' + event.subject), .event = true});
    }
  }

 private:
  using index = std::multimap<std::uint64_t, std::size_t>;  // of equal steps, in the order of the finding

  static std::vector<std::size_t> at(const index& all, std::uint64_t step) {
    std::vector<std::size_t> found;
    for (auto [each, end] = all.equal_range(step); each != end; ++each) found.push_back(each->second);
    return found;
  }

  const finding& found_;
  index calls_;
  index returns_;
  index events_;
};

std::vector<row> rows_of(const finding& found) {
  const between steps(found);
  std::vector<row> rows;
  steps.append_calls(rows, 0);
  steps.append_events(rows, 0);
  for (std::size_t i = 0; i < found.trace.size(); ++i) {
    const trace_step& step = found.trace[i];
    // Accesses to plain data carry the number of the visible operation before them. Those that decide nothing stay out.
    const bool plain_access = i == 0 ? step.step == 0 : step.step == found.trace[i - 1].step;
    const bool last_of_its_number = i + 1 == found.trace.size() || found.trace[i + 1].step != step.step;
    if (!plain_access || step.decisive || step.preempts) {
      rows.push_back({.step = step.step, .executed = &step, .task = step.task, .text = step_text(step)});
    }
    if (!last_of_its_number) continue;
    if (step.step == found.step && !rows.empty() && rows.back().executed != nullptr) rows.back().failed = true;
    if (step.step == 0) continue;
    steps.append_events(rows, step.step);
    steps.append_calls(rows, step.step);
  }
  return rows;
}

// Which rows to show: all of a short trace, else those that matter with their neighbours and the call they belong to.
std::vector<bool> shown_rows(const std::vector<row>& rows, bool everything) {
  if (everything || rows.size() <= rows_unfolded) return std::vector<bool>(rows.size(), true);
  std::vector<std::size_t> mattering;
  const auto is_event = [&rows](std::size_t i) { return rows[i].event; };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].matters()) mattering.push_back(i);
  }
  if (mattering.size() > rows_mattering) std::erase_if(mattering, is_event);
  if (mattering.empty() || mattering.back() + 1 != rows.size()) mattering.push_back(rows.size() - 1);
  if (mattering.size() > rows_mattering) {
    const auto first = mattering.begin() + rows_mattering / 3;
    mattering.erase(first, first + static_cast<std::ptrdiff_t>(mattering.size() - rows_mattering));
  }
  std::vector<bool> shown(rows.size(), false);
  for (const std::size_t i : mattering) {
    for (std::size_t j = i - std::min(i, rows_around); j <= std::min(rows.size() - 1, i + rows_around); ++j) shown[j] = true;
    for (std::size_t j = i + 1; j-- > 0;) {
      if (rows[j].task != rows[i].task || rows[j].executed != nullptr || rows[j].event) continue;
      if (rows[j].text.front() == '>') shown[j] = true;
      break;
    }
  }
  return shown;
}

class table {
 public:
  table(std::ostream& out, const finding& found, std::vector<row> rows, const presentation& how)
      : out_(out), found_(found), rows_(std::move(rows)), shown_(shown_rows(rows_, how.everything)), how_(how) {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (!shown_[i]) continue;
      if (std::ranges::find(tasks_, rows_[i].task) == tasks_.end()) tasks_.push_back(rows_[i].task);
      step_width_ = std::max(step_width_, std::to_string(rows_[i].step).size());
      if (timed(found)) time_width_ = std::max(time_width_, time_of(rows_[i]).size());
    }
    std::ranges::sort(tasks_);
    lay_out();
  }

  void write() {
    write_heads();
    std::size_t folded = 0;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (!shown_[i]) {
        folded += rows_[i].executed != nullptr ? 1 : 0;
        continue;
      }
      write_fold(folded);
      folded = 0;
      write_row(rows_[i]);
    }
    write_fold(folded);
    write_legend();
  }

 private:
  void lay_out() {
    std::vector<std::size_t> wanted;
    for (const unsigned task : tasks_) wanted.push_back(width(name(task)) + 2);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (!shown_[i]) continue;
      std::size_t& column = wanted[column_of(rows_[i].task)];
      column = std::min(std::max(column, width(rows_[i].text) + 2), column_max);
      if (rows_[i].executed != nullptr) site_width_ = std::max(site_width_, width(site_text(rows_[i].executed->site)));
    }
    site_width_ = std::min(site_width_, site_max);
    const std::size_t space = how_.columns - std::min<std::size_t>(how_.columns, gutter());
    if (!fits(wanted, column_with_sites_min, space - std::min(space, site_width_))) site_width_ = 0;
    merged_ = !fits(wanted, column_min, space);
    const std::size_t space_left = space - std::min(space, site_width_);
    std::size_t cut = column_max;
    while (!merged_ && !fits(wanted, cut, space_left)) --cut;
    for (const std::size_t column : wanted) column_widths_.push_back(std::min(column, cut));
  }

  // Whether the columns fit into `space` when none is wider than `cut`.
  static bool fits(const std::vector<std::size_t>& wanted, std::size_t cut, std::size_t space) {
    std::size_t sum = 0;
    for (const std::size_t column : wanted) sum += std::min(column, cut);
    return sum <= space;
  }

  // Time that does not pass is not shown.
  static bool timed(const finding& found) { return found.trace.back().time_ns != 0; }
  static std::string time_of(const row& r) { return r.executed == nullptr ? "" : time_text(r.executed->time_ns); }

  [[nodiscard]] std::size_t gutter() const { return 3 + 1 + step_width_ + 2 + (time_width_ == 0 ? 0 : time_width_ + 2); }
  [[nodiscard]] std::size_t column_of(unsigned task) const {
    return static_cast<std::size_t>(std::ranges::find(tasks_, task) - tasks_.begin());
  }

  [[nodiscard]] std::string name(unsigned task) const { return task_name(found_.tasks, task); }

  void write_line(std::string line) {
    line = elide(line, how_.columns);
    line.erase(line.find_last_not_of(' ') + 1);
    out_ << line << '\n';
  }

  void write_heads() {
    std::string line(gutter(), ' ');
    if (time_width_ != 0) line.replace(3 + 1 + step_width_ + 2, 4, "time");
    if (merged_) {
      line += "task";
    } else {
      for (std::size_t i = 0; i < tasks_.size(); ++i)
        line += fit(elide(name(tasks_[i]), column_widths_[i] - 1), column_widths_[i]);
    }
    write_line(line);
  }

  // What is wider than its column goes on below, so that no value is lost.
  static std::vector<std::string> lines_of(const std::string& text, std::size_t columns) {
    if (width(text) <= columns) return {text};
    std::vector<std::string> lines = {wrap(text, columns).front()};
    std::string rest = text.substr(lines.front().size());
    rest.erase(0, rest.find_first_not_of(' '));
    for (const std::string& line : wrap(rest, columns - 2)) lines.push_back("  " + line);
    return lines;
  }

  std::string gutter_of(const row& r) {
    const std::string number = r.executed != nullptr ? std::to_string(r.step) : std::string();
    std::string line = r.marks() + ' ' + std::string(step_width_ - number.size(), ' ') + number + "  ";
    if (time_width_ != 0) {
      // Where it has passed since the row above.
      const std::string time = time_of(r);
      line += fit(time == last_time_ ? "" : time, time_width_) + "  ";
      if (!time.empty()) last_time_ = time;
    }
    return line;
  }

  void write_row(const row& r) {
    const bool coloured = how_.colour && r.matters();
    if (coloured) out_ << (r.failed ? "\x1b[1;31m" : "\x1b[1m");
    std::string line = gutter_of(r);
    std::size_t column = 0;
    std::string after;
    if (merged_) {
      line += fit(elide(name(r.task), column_min - 1), column_min);
      column = std::max(how_.columns, 8 + static_cast<unsigned>(width(line))) - width(line) + 1;
    } else {
      std::size_t spaces = 0;
      for (const std::size_t before : column_widths_ | std::views::take(column_of(r.task))) spaces += before;
      line.append(spaces, ' ');
      column = column_widths_[column_of(r.task)];
      for (const std::size_t other : column_widths_ | std::views::drop(column_of(r.task) + 1)) after.append(other, ' ');
    }
    const std::size_t margin = width(line);
    std::string place;
    if (!merged_ && r.executed != nullptr && site_width_ != 0) place = elide(site_text(r.executed->site), site_width_);
    for (const std::string& text : lines_of(r.text, column - 1)) {
      write_line(line + fit(text, column) + after + place);
      line.assign(margin, ' ');
      place.clear();
    }
    if (coloured) out_ << "\x1b[0m";
  }

  void write_fold(std::size_t steps) {
    if (steps == 0) return;
    write_line(std::string(gutter(), ' ') + "... " + std::to_string(steps) + (steps == 1 ? " step" : " steps"));
  }

  void write_legend() {
    bool failed = false;
    bool preempts = false;
    bool decisive = false;
    bool calls = false;
    bool events = false;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (!shown_[i]) continue;
      failed = failed || rows_[i].failed;
      calls = calls || (rows_[i].executed == nullptr && !rows_[i].event);
      events = events || rows_[i].event;
      preempts = preempts || (rows_[i].executed != nullptr && rows_[i].executed->preempts);
      decisive = decisive || (rows_[i].executed != nullptr && rows_[i].executed->decisive);
    }
    std::string line;
    const auto add = [&](bool present, std::string_view text) {
      if (!present) return;
      if (!line.empty() && line.size() + 3 + text.size() > how_.columns) {
        write_line(line);
        line.clear();
      }
      line += (line.empty() ? std::string(4, ' ') : std::string(3, ' ')) + std::string(text);
    };
    add(failed, "X the oracle failed here");
    add(preempts, "! preempts");
    add(decisive, "* decisive");
    add(calls, "> call  < return");
    add(events, "= see the ledger");
    if (!line.empty()) write_line(line);
  }

  std::ostream& out_;
  const finding& found_;
  std::vector<row> rows_;
  std::vector<bool> shown_;
  presentation how_;
  std::vector<unsigned> tasks_;
  std::size_t step_width_ = 1;
  std::size_t time_width_ = 0;  // 0: there is no such column
  std::string last_time_;
  std::vector<std::size_t> column_widths_;
  std::size_t site_width_ = 0;
  bool merged_ = false;
};

}  // namespace

void write_trace_table(std::ostream& out, const finding& found, const presentation& how) {
  if (found.trace.empty()) {
    out << "  no trace was recorded\n";
    return;
  }
  table(out, found, rows_of(found), how).write();
}

}  // namespace kvrace::reports
