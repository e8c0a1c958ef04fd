#include "reports/diff.h"

#include <algorithm>
#include <map>
#include <ostream>

#include "reports/fingerprint.h"
#include "reports/json_pieces.h"
#include "reports/plain_text.h"
#include "reports/step_text.h"

namespace kvrace::reports {
namespace {

constexpr int exit_violation = 1;
constexpr int exit_not_shown = 2;
constexpr int exit_unsound = 3;

using kind = difference::kind;

const char* name_of(kind what) {
  switch (what) {
    case kind::finding_new: return "finding_new";
    case kind::finding_gone: return "finding_gone";
    case kind::finding_changed: return "finding_changed";
    case kind::verdict_weaker: return "verdict_weaker";
    case kind::verdict_stronger: return "verdict_stronger";
    case kind::scenario_new: return "scenario_new";
    case kind::scenario_gone: return "scenario_gone";
  }
  return "";
}

const char* words_for(kind what) {
  switch (what) {
    case kind::finding_new: return "new finding";
    case kind::finding_gone: return "finding gone";
    case kind::finding_changed: return "finding changed";
    case kind::verdict_weaker: return "weaker";
    case kind::verdict_stronger: return "stronger";
    case kind::scenario_new: return "new scenario";
    case kind::scenario_gone: return "scenario gone";
  }
  return "";
}

// How much a verdict shows of the absence of violations.
int strength(verdict of) {
  switch (of) {
    case verdict::proved: return 3;
    case verdict::exhausted: return 2;
    case verdict::not_found: return 1;
    case verdict::violation:
    case verdict::incomplete: return 0;
    case verdict::unsound: return -1;
  }
  return 0;
}

std::string verdict_text(const report& facts) {
  return to_string(facts.result.verdict) + std::string(" (") + printable(facts.expectation.outcome) + ')';
}

std::string places_text(const finding& found) {
  std::string text;
  for (const source_site& site : found.sites) text += (text.empty() ? "" : ", ") + site_text(site);
  return text;
}

std::string finding_text(const finding& found) {
  const std::string places = places_text(found);
  return printable(found.oracle) + ": " + printable(found.message) + (places.empty() ? "" : " (" + places + ')');
}

// Empty if nothing of it has changed.
std::string change_text(const finding& before, const finding& after) {
  std::string text;
  const auto add = [&text](const std::string& what, const std::string& old_value, const std::string& new_value) {
    if (old_value != new_value) text += (text.empty() ? "" : "; ") + what + ' ' + old_value + " -> " + new_value;
  };
  add("message", printable(before.message), printable(after.message));
  add("places", places_text(before), places_text(after));
  add("runs", std::to_string(before.occurrences), std::to_string(after.occurrences));
  return text.empty() ? text : printable(after.oracle) + ": " + text;
}

class comparison {
 public:
  std::vector<difference> all;

  void scenario_new(const report& after) {
    add(kind::scenario_new, after, verdict_text(after), after.expectation.met ? 0 : after.expectation.exit_code);
  }
  void scenario_gone(const report& before) { add(kind::scenario_gone, before, verdict_text(before), exit_not_shown); }

  void compare(const report& before, const report& after) {
    compare_verdicts(before, after);
    compare_findings(before, after);
  }

 private:
  void add(kind what, const report& of, std::string text, int exit_code) {
    all.push_back({what, printable(scenario_id(of.scenario)), std::move(text), exit_code});
  }

  void compare_verdicts(const report& before, const report& after) {
    const auto rank = [](const report& of) { return std::pair(of.expectation.met, strength(of.result.verdict)); };
    if (rank(before) == rank(after)) return;
    const std::string text = verdict_text(before) + " -> " + verdict_text(after);
    if (rank(after) > rank(before)) return add(kind::verdict_stronger, after, text, 0);
    const int code = after.result.verdict == verdict::unsound ? exit_unsound
                     : after.expectation.met                  ? exit_not_shown
                                                              : std::max(after.expectation.exit_code, exit_violation);
    add(kind::verdict_weaker, after, text, code);
  }

  void compare_findings(const report& before, const report& after) {
    std::map<std::string, const finding*> old;
    const std::vector<std::string> old_prints = fingerprints(before);
    for (std::size_t i = 0; i < old_prints.size(); ++i) old[old_prints[i]] = &before.result.findings[i];
    const std::vector<std::string> prints = fingerprints(after);
    for (std::size_t i = 0; i < prints.size(); ++i) {
      const finding& found = after.result.findings[i];
      const auto known = old.find(prints[i]);
      if (known == old.end()) {
        add(kind::finding_new, after, finding_text(found), after.expectation.met ? 0 : exit_violation);
        continue;
      }
      if (std::string text = change_text(*known->second, found); !text.empty())
        add(kind::finding_changed, after, std::move(text), 0);
      old.erase(known);
    }
    for (std::size_t i = 0; i < old_prints.size(); ++i)
      if (old.contains(old_prints[i])) add(kind::finding_gone, before, finding_text(before.result.findings[i]), 0);
  }
};

// Of equal ones, the second of `before` belongs to the second of `after`.
std::vector<std::string> keys_of(std::span<const report> reports) {
  std::vector<std::string> keys;
  std::map<std::string, unsigned> seen;
  for (const report& facts : reports) {
    const std::string key = facts.mode + '/' + scenario_id(facts.scenario);
    keys.push_back(key + '/' + std::to_string(++seen[key]));
  }
  return keys;
}

}  // namespace

std::vector<difference> differences(std::span<const report> before, std::span<const report> after) {
  std::map<std::string, const report*> old;
  const std::vector<std::string> old_keys = keys_of(before);
  for (std::size_t i = 0; i < before.size(); ++i) old[old_keys[i]] = &before[i];
  comparison found;
  const std::vector<std::string> keys = keys_of(after);
  for (std::size_t i = 0; i < after.size(); ++i) {
    const auto known = old.find(keys[i]);
    if (known == old.end()) {
      found.scenario_new(after[i]);
      continue;
    }
    found.compare(*known->second, after[i]);
    old.erase(known);
  }
  for (std::size_t i = 0; i < before.size(); ++i)
    if (old.contains(old_keys[i])) found.scenario_gone(before[i]);
  return std::move(found.all);
}

void write_differences(std::ostream& out, std::span<const difference> all, const presentation& how) {
  const std::string_view plain = how.colour ? "\x1b[0m" : "";
  for (const difference& each : all) {
    const bool better = each.what == kind::verdict_stronger || each.what == kind::finding_gone;
    const char* const colour = !how.colour ? "" : each.exit_code != 0 ? "\x1b[1;31m" : better ? "\x1b[1;32m" : "\x1b[1m";
    const std::string line = each.scenario + ": " + each.text;
    std::string start = fit(words_for(each.what), 17);
    out << colour << start << plain;
    std::string_view before = "";
    for (const std::string& text : wrap(line, how.columns - 17)) {
      out << before << text << '\n';
      before = "                 ";
    }
  }
  const auto worse = std::ranges::count_if(all, [](const difference& each) { return each.exit_code != 0; });
  out << (all.empty() ? "" : "\n") << counted(all.size(), "difference") << ", " << worse << " for the worse\n";
}

void write_differences_json(std::ostream& out, std::span<const difference> all) {
  out << "{\"differences\": [";
  json_items items(out);
  for (const difference& each : all)
    items.add({{"kind", name_of(each.what)}, {"scenario", each.scenario}, {"text", each.text}, {"exit_code", each.exit_code}});
  out << "]}\n";
}

}  // namespace kvrace::reports
