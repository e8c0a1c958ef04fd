#include "reports/step_text.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "reports/plain_text.h"

namespace kvrace::reports {

std::string step_text(const trace_step& step) {
  std::string text = step.kind == "read_modify_write" ? "rmw" : step.kind == "compare_exchange" ? "cas" : step.kind;
  if (!step.object.empty()) text += ' ' + step.object;
  if (!step.value.empty()) text += ": " + step.value;
  return printable(text);
}

std::string site_text(const source_site& site) {
  if (site.file.empty()) return {};
  std::string text = site.file.substr(site.file.rfind('/') + 1);
  if (site.line != 0) text += ':' + std::to_string(site.line);
  return printable(text);
}

std::string time_text(std::uint64_t ns) {
  struct unit {
    std::uint64_t ns;
    const char* name;
  };
  static constexpr std::array<unit, 4> units = {{{1'000'000'000, " s"}, {1'000'000, " ms"}, {1'000, " us"}, {1, " ns"}}};
  if (ns == 0) return "0 s";
  const unit& fits = *std::ranges::find_if(units, [ns](const unit& each) { return ns >= each.ns; });
  std::string digits = std::to_string(fits.ns + ns % fits.ns).substr(1);
  digits.erase(digits.find_last_not_of('0') + 1);
  return std::to_string(ns / fits.ns) + (digits.empty() ? "" : '.' + digits) + fits.name;
}

std::string counted(std::uint64_t count, std::string_view noun) {
  std::string text = std::to_string(count) + ' ' + std::string(noun);
  if (count != 1) text += noun.ends_with("ch") ? "es" : "s";
  return text;
}

std::string task_name(const std::vector<std::string>& tasks, unsigned task) {
  return task < tasks.size() && !tasks[task].empty() ? printable(tasks[task]) : "task " + std::to_string(task);
}

const finding& shown_finding(const report& facts, std::size_t index) {
  if (index == 0 && !facts.shrunk.empty() && !facts.shrunk.front().result.findings.empty())
    return facts.shrunk.front().result.findings.front();
  return facts.result.findings[index];
}

bool failed_at(const finding& found, std::size_t index) {
  return found.trace[index].step == found.step && (index + 1 == found.trace.size() || found.trace[index + 1].step != found.step);
}

std::vector<std::size_t> telling_steps(const finding& found, std::size_t most) {
  std::vector<std::size_t> all(std::min(found.trace.size(), most));
  if (found.trace.size() <= most) {
    std::iota(all.begin(), all.end(), std::size_t{0});
    return all;
  }
  std::vector<std::size_t> telling;
  const auto add = [&telling](std::size_t index) {
    if (telling.empty() || telling.back() < index) telling.push_back(index);
  };
  for (std::size_t i = 0; i < found.trace.size(); ++i) {
    if (!found.trace[i].decisive && !found.trace[i].preempts && !failed_at(found, i) && i + 1 != found.trace.size()) continue;
    if (i > 0) add(i - 1);
    add(i);
    if (i + 1 < found.trace.size()) add(i + 1);
  }
  if (telling.size() > most) {
    const auto first = telling.begin() + static_cast<std::ptrdiff_t>(most / 3);
    telling.erase(first, first + static_cast<std::ptrdiff_t>(telling.size() - most));
  }
  return telling;
}

}  // namespace kvrace::reports
