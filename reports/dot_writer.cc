// A graph of the execution in the language of Graphviz: https://graphviz.org/doc/info/lang.html
// Program order (po), reads-from (rf), modification order (mo), and locks handed over (lo).
#include <algorithm>
#include <map>
#include <ostream>

#include "reports/fingerprint.h"
#include "reports/plain_text.h"
#include "reports/relations.h"
#include "reports/report.h"
#include "reports/step_text.h"

namespace kvrace::reports {
namespace {

constexpr std::size_t findings_max = 10;  // of all reports together
constexpr std::size_t steps_of_a_finding = 150;  // more cannot be read, and take minutes to lay out

// A quoted string in which backslashes mean themselves.
std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : printable(text)) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

class writer {
 public:
  writer(std::ostream& out, const finding& found, std::size_t number, const std::string& title)
      : out_(out), found_(found), number_(number), title_(title), shown_(telling_steps(found, steps_of_a_finding)) {}

  void write() {
    out_ << "  subgraph cluster_" << number_ << " {\n    label=" << quoted(title_) << ";\n";
    std::map<unsigned, std::vector<std::size_t>> tasks;
    for (const std::size_t index : shown_) tasks[found_.trace[index].task].push_back(index);
    for (const auto& [task, steps] : tasks) write_task(task, steps);
    for (const relation& each : relations_of(found_)) write_relation(each);
    if (shown_.size() < found_.trace.size())
      out_ << "    " << name("more")
           << " [shape=plaintext, label=" << quoted(std::to_string(found_.trace.size() - shown_.size()) + " steps are left out")
           << "];\n";
    out_ << "  }\n";
  }

 private:
  [[nodiscard]] std::string name(const std::string& of) const { return "f" + std::to_string(number_) + "_" + of; }
  [[nodiscard]] std::string name(std::size_t index) const { return name(std::to_string(index)); }

  void write_task(unsigned task, const std::vector<std::size_t>& steps) {
    out_ << "    subgraph cluster_" << number_ << "_" << task << " {\n      label=" << quoted(task_name(found_.tasks, task))
         << ";\n";
    for (const std::size_t index : steps) {
      const trace_step& step = found_.trace[index];
      out_ << "      " << name(index) << " [label=" << quoted(std::to_string(step.step) + ": " + step_text(step))
           << (failed_at(found_, index) ? ", color=red, penwidth=3"
               : step.decisive          ? ", penwidth=2"
                                        : "")
           << "];\n";
    }
    out_ << "    }\n";
    // A dotted line stands for steps left out.
    for (std::size_t i = 1; i < steps.size(); ++i)
      out_ << "    " << name(steps[i - 1]) << " -> " << name(steps[i])
           << (next_of_task(steps[i - 1]) == steps[i] ? " [class=po]" : " [class=po, style=dotted]") << ";\n";
  }

  [[nodiscard]] std::size_t next_of_task(std::size_t index) const {
    const unsigned task = found_.trace[index].task;
    while (++index < found_.trace.size() && found_.trace[index].task != task) {
    }
    return index;
  }

  void write_relation(const relation& each) {
    if (!std::binary_search(shown_.begin(), shown_.end(), each.from) ||
        !std::binary_search(shown_.begin(), shown_.end(), each.to))
      return;
    out_ << "    " << name(each.from) << " -> " << name(each.to);
    switch (each.what) {
      case relation::kind::reads_from: out_ << " [class=rf, label=rf, color=darkgreen, fontcolor=darkgreen"; break;
      case relation::kind::modification: out_ << " [class=mo, label=mo, color=darkorange, fontcolor=darkorange"; break;
      case relation::kind::hand_over: out_ << " [class=lo, label=lo, color=blue, fontcolor=blue, style=dashed"; break;
    }
    out_ << ", constraint=false];\n";
  }

  std::ostream& out_;
  const finding& found_;
  std::size_t number_;
  std::string title_;
  std::vector<std::size_t> shown_;
};

}  // namespace

void write_dot(std::ostream& out, std::span<const report> reports, const presentation&) {
  out << "// Solid: program order (dotted where steps are left out); rf: reads from; mo: modification order; lo: lock handed "
         "over\n"
         "digraph kvrace {\n  node [shape=box, fontname=\"sans-serif\"];\n  edge [fontname=\"sans-serif\"];\n";
  std::size_t written = 0;
  std::size_t total = 0;
  for (const report& facts : reports) {
    total += facts.result.findings.size();
    for (std::size_t i = 0; i < facts.result.findings.size() && written < findings_max; ++i) {
      const finding& shown = shown_finding(facts, i);
      writer(out, shown, ++written, scenario_id(facts.scenario) + ": " + shown.oracle + ". " + shown.message).write();
    }
  }
  if (written < total) out << "  // " << total - written << " findings are left out\n";
  out << "}\n";
}

}  // namespace kvrace::reports
