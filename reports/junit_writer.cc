// JUnit XML as CI systems read it: https://github.com/testmoapp/junitxml describes what they have in common. One suite, one test
// case a scenario: it passes if the scenario came out as it expects, which may be a violation.
#include <cmath>
#include <cstdio>
#include <map>
#include <ostream>
#include <sstream>

#include "reports/fingerprint.h"
#include "reports/plain_text.h"
#include "reports/report.h"

namespace kvrace::reports {
namespace {

constexpr int exit_violation = 1;
constexpr int exit_unsound = 3;

// Of printable text, whose only characters that XML 1.0 forbids are U+FFFE and U+FFFF. A newline in an attribute would be read as
// a space.
std::string escaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    switch (text[i]) {
      case '&': out += "&amp;"; continue;
      case '<': out += "&lt;"; continue;
      case '>': out += "&gt;"; continue;
      case '"': out += "&quot;"; continue;
      case '\n': out += '\n'; continue;
      default: break;
    }
    const std::string_view three = text.substr(i, 3);
    if (three == "\xEF\xBF\xBE" || three == "\xEF\xBF\xBF") {
      out += three == "\xEF\xBF\xBE" ? "\\u{FFFE}" : "\\u{FFFF}";
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

std::string attribute(const char* name, std::string_view value) {
  return std::string(" ") + name + "=\"" + escaped(printable(value)) + '"';
}

std::string seconds(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f", std::isfinite(value) && value > 0 ? value : 0.0);
  return text;
}

enum class kind { passed, failed, error, skipped };

kind kind_of(const report& facts) {
  if (facts.expectation.met) return kind::passed;
  if (facts.expectation.exit_code == exit_unsound) return kind::error;
  const bool not_run = facts.result.verdict == verdict::incomplete && facts.result.counts.runs == 0 && facts.result.interrupted;
  return not_run ? kind::skipped : kind::failed;
}

struct totals {
  std::size_t failures = 0;
  std::size_t errors = 0;
  std::size_t skipped = 0;
  double time_s = 0;
};

totals count(std::span<const report> reports) {
  totals all;
  for (const report& facts : reports) {
    const kind outcome = kind_of(facts);
    all.failures += outcome == kind::failed ? 1 : 0;
    all.errors += outcome == kind::error ? 1 : 0;
    all.skipped += outcome == kind::skipped ? 1 : 0;
    if (std::isfinite(facts.result.time_s)) all.time_s += facts.result.time_s;
  }
  return all;
}

std::string attributes_of(std::span<const report> reports) {
  const totals all = count(reports);
  return attribute("name", "kvrace") + attribute("tests", std::to_string(reports.size())) +
         attribute("failures", std::to_string(all.failures)) + attribute("errors", std::to_string(all.errors)) +
         attribute("skipped", std::to_string(all.skipped)) + attribute("time", seconds(all.time_s));
}

void write_case(std::ostream& out, const report& facts, unsigned times_before) {
  const kind outcome = kind_of(facts);
  const std::string again = times_before == 0 ? "" : " #" + std::to_string(times_before + 1);
  out << "    <testcase" << attribute("classname", "kvrace." + facts.mode)
      << attribute("name", scenario_id(facts.scenario) + again);
  if (facts.scenario.path.ends_with(".json")) out << attribute("file", facts.scenario.path);
  out << attribute("time", seconds(facts.result.time_s)) << ">\n";
  const std::string said = to_string(facts.result.verdict) + std::string(": ") + facts.expectation.outcome;
  std::ostringstream text;
  write_text(text, std::span(&facts, 1), {});
  if (outcome == kind::passed) {
    out << "      <system-out>" << escaped(printable(said)) << "</system-out>\n";
  } else if (outcome == kind::skipped) {
    out << "      <skipped" << attribute("message", said) << "/>\n";
  } else {
    const char* const element = outcome == kind::error ? "error" : "failure";
    const std::string type = facts.expectation.exit_code == exit_violation && !facts.result.findings.empty()
                                 ? facts.result.findings.front().oracle
                                 : to_string(facts.result.verdict);
    out << "      <" << element << attribute("type", type) << attribute("message", said) << '>' << escaped(text.str()) << "</"
        << element << ">\n";
  }
  out << "    </testcase>\n";
}

}  // namespace

void write_junit(std::ostream& out, std::span<const report> reports, const presentation&) {
  out << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites" << attributes_of(reports) << ">\n  <testsuite"
      << attributes_of(reports) << ">\n";
  std::map<std::string, unsigned> times;
  for (const report& facts : reports) write_case(out, facts, times[facts.mode + '/' + scenario_id(facts.scenario)]++);
  out << "  </testsuite>\n</testsuites>\n";
}

}  // namespace kvrace::reports
