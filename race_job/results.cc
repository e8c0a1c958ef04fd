#include "race_job/results.h"

#include <istream>
#include <ostream>
#include <sstream>
#include <string_view>
#include <utility>

namespace kvrace::race_job {

namespace {

// One record a line: its name, then its fields, between tabs.
constexpr std::string_view title = "kvrace race_job results 2";

std::string field(std::string_view text) {
  std::string clean(text);
  for (char& each : clean)
    if (each == '\t' || each == '\n' || each == '\r') each = ' ';
  return clean;
}

class fields {
 public:
  explicit fields(std::string_view line) : rest_(line) {}
  // An empty field is a field, also at the end.
  std::string text() {
    if (over_) ok_ = false;
    const std::size_t tab = rest_.find('\t');
    std::string value(rest_.substr(0, tab));
    over_ = tab == std::string_view::npos;
    rest_.remove_prefix(over_ ? rest_.size() : tab + 1);
    return value;
  }
  template <class T>
  void get(T& into) {
    std::istringstream number(text());
    if (!(number >> into)) ok_ = false;
  }
  void get(std::string& into) { into = text(); }
  [[nodiscard]] bool ok() const { return ok_; }

 private:
  std::string_view rest_;
  bool over_ = false;
  bool ok_ = true;
};

template <class... T>
void line(std::ostream& out, const char* name, const T&... values) {
  out << name;
  ((out << '\t' << values), ...);
  out << '\n';
}

void write(std::ostream& out, const scenario_results& each) {
  line(out, "scenario", field(each.name), field(each.strategy), each.seed, each.first_run, each.runs, each.steps, each.decisions,
       each.digest, each.cpu_us, each.runs_reported, each.reports_lost, each.only_instrumentation, each.blind, field(each.along));
  for (const auto& [oracle, runs] : each.violations) line(out, "violation", field(oracle), runs);
  for (const engine_entry& entry : each.engine)
    line(out, "engine", field(entry.signature), entry.runs, entry.seen, entry.run, field(entry.schedule));
  for (const report_entry& entry : each.reports) {
    line(out, "report", field(entry.kind), entry.made, entry.runs, entry.unexplained, entry.both_fail, entry.run, entry.step,
         field(entry.schedule));
    for (const described_access& access : entry.accesses) {
      line(out, "access", access.write, access.atomic, access.bytes, access.task);
      for (const std::string& frame : access.frames) line(out, "frame", field(frame));
    }
  }
  for (const crash& entry : each.crashes) line(out, "crash", entry.run, field(entry.what));
}

// A record that belongs to the scenario before it.
bool read_part(scenario_results& into, const std::string& name, fields& from) {
  if (name == "violation") {
    const std::string oracle = from.text();
    from.get(into.violations[oracle]);
  } else if (name == "engine") {
    engine_entry& entry = into.engine.emplace_back();
    from.get(entry.signature);
    from.get(entry.runs);
    from.get(entry.seen);
    from.get(entry.run);
    from.get(entry.schedule);
  } else if (name == "report") {
    report_entry& entry = into.reports.emplace_back();
    from.get(entry.kind);
    from.get(entry.made);
    from.get(entry.runs);
    from.get(entry.unexplained);
    from.get(entry.both_fail);
    from.get(entry.run);
    from.get(entry.step);
    from.get(entry.schedule);
  } else if (name == "access" && !into.reports.empty()) {
    described_access& access = into.reports.back().accesses.emplace_back();
    from.get(access.write);
    from.get(access.atomic);
    from.get(access.bytes);
    from.get(access.task);
  } else if (name == "frame" && !into.reports.empty() && !into.reports.back().accesses.empty()) {
    into.reports.back().accesses.back().frames.push_back(from.text());
  } else if (name == "crash") {
    crash& entry = into.crashes.emplace_back();
    from.get(entry.run);
    from.get(entry.what);
  } else {
    return false;
  }
  return from.ok();
}

}  // namespace

bool is_memory_oracle(std::string_view oracle) {
  return oracle == "data_race" || oracle == "use_after_destroy" || oracle == "double_destroy";
}

void write(std::ostream& out, const results& all) {
  out << title << '\n';
  line(out, "sanitizer", all.sanitizer);
  for (const scenario_results& each : all.scenarios) write(out, each);
  out << "end\n";
}

std::optional<results> read(std::istream& in) {
  std::string text;
  if (!std::getline(in, text) || text != title) return std::nullopt;
  results all;
  while (std::getline(in, text)) {
    if (text == "end") return all;
    fields from(text);
    const std::string name = from.text();
    if (name == "sanitizer") {
      from.get(all.sanitizer);
    } else if (name == "scenario") {
      scenario_results& each = all.scenarios.emplace_back();
      from.get(each.name);
      from.get(each.strategy);
      from.get(each.seed);
      from.get(each.first_run);
      from.get(each.runs);
      from.get(each.steps);
      from.get(each.decisions);
      from.get(each.digest);
      from.get(each.cpu_us);
      from.get(each.runs_reported);
      from.get(each.reports_lost);
      from.get(each.only_instrumentation);
      from.get(each.blind);
      from.get(each.along);
      if (!from.ok()) return std::nullopt;
    } else if (all.scenarios.empty() || !read_part(all.scenarios.back(), name, from)) {
      return std::nullopt;
    }
  }
  return std::nullopt;  // cut short
}

}  // namespace kvrace::race_job
