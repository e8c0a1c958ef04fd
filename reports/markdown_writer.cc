// GitHub's Markdown, as the summary of a step takes it: a table of the scenarios, and below it what was not expected.
#include <algorithm>
#include <cstdio>
#include <ostream>
#include <sstream>

#include "reports/fingerprint.h"
#include "reports/plain_text.h"
#include "reports/report.h"

namespace kvrace::reports {
namespace {

constexpr std::size_t bytes_max = 900'000;  // a summary of more than 1 MiB is refused as a whole
constexpr std::size_t rows_max = 1'000;

// Text that means itself: markup, links and entities are taken out of it.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '&')
      out += "&amp;";
    else if (std::string_view("\\`*_{}[]()#+-.!|~@:").find(c) != std::string_view::npos)
      (out += '\\') += c;
    else
      out += c;
  }
  return out;
}

// With a fence that the text does not have.
std::string code_block(const std::string& text) {
  std::size_t longest = 2;
  std::size_t run = 0;
  for (const char c : text) longest = std::max(longest, run = c == '`' ? run + 1 : 0);
  const std::string fence(longest + 1, '`');
  return fence + "text\n" + text + fence + "\n";
}

std::string seconds(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f s", value);
  return value >= 0 ? text : "";  // also if it is no number
}

std::string row(const report& facts) {
  return std::string("| ") + (facts.expectation.met ? "✅" : "❌") + " | " + escaped(scenario_id(facts.scenario)) + " | " +
         escaped(to_string(facts.result.verdict)) + " | " + escaped(facts.expectation.outcome) + " | " +
         std::to_string(facts.result.counts.runs) + " | " + seconds(facts.result.time_s) + " |\n";
}

std::string details(const report& facts) {
  std::ostringstream text;
  write_text(text, std::span(&facts, 1), {});
  return "\n<details><summary>" + escaped(scenario_id(facts.scenario) + ": " + facts.expectation.outcome) + "</summary>\n\n" +
         code_block(text.str()) + "\n</details>\n";
}

}  // namespace

void write_markdown(std::ostream& out, std::span<const report> reports, const presentation&) {
  const auto met =
      static_cast<std::size_t>(std::ranges::count_if(reports, [](const report& facts) { return facts.expectation.met; }));
  std::string text = "## kvrace: " + std::to_string(met) + " of " + std::to_string(reports.size()) +
                     (reports.size() == 1 ? " scenario" : " scenarios") + " as expected\n\n";
  // Those that need attention first.
  std::vector<const report*> order;
  for (const bool wanted : {false, true})
    for (const report& facts : reports)
      if (facts.expectation.met == wanted) order.push_back(&facts);
  if (!order.empty()) text += "| | scenario | verdict | outcome | schedules | time |\n|---|---|---|---|---:|---:|\n";
  for (std::size_t i = 0; i < std::min(order.size(), rows_max); ++i) text += row(*order[i]);
  std::size_t left_out = order.size() - std::min(order.size(), rows_max);
  if (left_out != 0) text += "\n" + std::to_string(left_out) + " more, as expected or not, are in the report.\n";
  left_out = 0;
  for (const report* const facts : order) {
    if (facts->expectation.met) break;
    const std::string next = left_out == 0 ? details(*facts) : "";
    if (left_out != 0 || text.size() + next.size() > bytes_max)
      ++left_out;
    else
      text += next;
  }
  if (left_out != 0) text += "\n" + std::to_string(left_out) + " more are described in the report.\n";
  out << text;
}

}  // namespace kvrace::reports
