// Workflow commands, which GitHub Actions takes from a job's output and shows at the lines of a pull request.
// https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands
#include <algorithm>
#include <ostream>

#include "reports/fingerprint.h"
#include "reports/plain_text.h"
#include "reports/report.h"
#include "reports/step_text.h"

namespace kvrace::reports {
namespace {

// A step shows ten annotations of a kind. The last one counts those that are left out.
constexpr std::size_t shown_max = 10;

std::string replaced(std::string_view text, bool property) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '%': out += "%25"; break;
      case '\r': out += "%0D"; break;
      case '\n': out += "%0A"; break;
      case ':': out += property ? "%3A" : ":"; break;
      case ',': out += property ? "%2C" : ","; break;
      default: out += c;
    }
  }
  return out;
}
// A newline in `text` is one of the message: everything else of it is printable.
std::string message(std::string_view text) { return replaced(text, false); }
std::string property(std::string_view text) { return replaced(printable(text), true); }

struct annotation {
  source_site place;
  std::string title;
  std::string text;
};

std::string place_text(const source_site& place) {
  if (place.file.empty()) return "";
  return "file=" + property(place.file) + (place.line == 0 ? "" : ",line=" + std::to_string(place.line)) + ',';
}

std::vector<annotation> annotations_of(const report& facts) {
  std::vector<annotation> all;
  if (facts.expectation.met) return all;
  const std::string id = scenario_id(facts.scenario);
  for (std::size_t i = 0; i < facts.result.findings.size(); ++i) {
    const finding& found = facts.result.findings[i];
    const finding& shown = shown_finding(facts, i);
    annotation next;
    next.title = found.oracle + " in " + id;
    next.text = printable(found.message);
    if (!found.sites.empty()) next.place = found.sites.front();
    for (const trace_step& step : shown.trace)
      if (step.decisive && !step.site.file.empty() && next.place.file.empty()) next.place = step.site;
    if (i < facts.replay_commands.size() && !facts.replay_commands[i].empty())
      next.text += "\nReplay: " + printable(facts.replay_commands[i]);
    all.push_back(std::move(next));
  }
  if (!all.empty()) return all;
  source_site scenario;
  if (facts.scenario.path.ends_with(".json")) scenario.file = facts.scenario.path;
  return {{scenario, id + " is not as expected", printable(facts.expectation.outcome)}};
}

}  // namespace

void write_github(std::ostream& out, std::span<const report> reports, const presentation&) {
  std::size_t total = 0;
  for (const report& facts : reports) total += facts.expectation.met ? 0 : std::max<std::size_t>(facts.result.findings.size(), 1);
  const std::size_t shown = total <= shown_max ? total : shown_max - 1;
  std::size_t written = 0;
  for (const report& facts : reports) {
    if (written == shown) break;
    for (const annotation& each : annotations_of(facts)) {
      if (written == shown) break;
      ++written;
      out << "::error " << place_text(each.place) << "title=" << property(each.title) << "::" << message(each.text) << '\n';
    }
  }
  if (written < total)
    out << "::error title=kvrace::" << total - written << " more are in the report: a step shows " << shown_max << '\n';
}

}  // namespace kvrace::reports
