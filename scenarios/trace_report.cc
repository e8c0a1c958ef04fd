#include "scenarios/trace_report.h"

#include <algorithm>
#include <cstdio>
#include <vector>

#include <nlohmann/json.hpp>

#include "reports/plain_text.h"

namespace kvrace::scenarios {
namespace {

constexpr int trace_schema_version = 1;

std::string grouped(std::uint64_t value) {
  std::string text = std::to_string(value);
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, ",");
  return text;
}

std::string seconds(std::chrono::nanoseconds time) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f s", static_cast<double>(time.count()) / 1e9);
  return text;
}

std::string padded(const std::string& text, std::size_t columns) {
  return std::string(columns - std::min(columns, text.size()), ' ') + text;
}

const char* name_of(trace_format format) { return format == trace_format::csv ? "csv" : "json_lines"; }

std::string capacity_of(const hit_count& count) {
  return count.capacity == cache::plain_lru::unbounded ? "unbounded" : grouped(count.capacity);
}

// One line a capacity: hits and their share, for each policy that was asked for.
std::string table(const trace_question& question, const trace_answer& answer) {
  using policy = hit_count::policy;
  std::vector<policy> columns = {policy::plain_lru_all, policy::plain_lru_full};
  std::string text = "  capacity      plain LRU, all     plain LRU, full";
  if (!question.locking.empty()) {
    columns.push_back(policy::cache);
    text += padded("cache (" + question.locking + ")", 20);
  }
  text += "\n";
  for (const std::uint64_t capacity : question.capacities) {
    std::string line;
    for (const policy by : columns) {
      const auto found = std::find_if(answer.hits.begin(), answer.hits.end(),
                                      [&](const hit_count& each) { return each.by == by && each.capacity == capacity; });
      if (found == answer.hits.end()) continue;
      if (line.empty()) line = padded(capacity_of(*found), 10);
      const double share =
          found->references == 0 ? 0 : 100.0 * static_cast<double>(found->hits) / static_cast<double>(found->references);
      char percent[16];
      std::snprintf(percent, sizeof percent, "%5.1f %%", share);
      line += padded(grouped(found->hits), 12) + " " + percent;
    }
    text += line + "\n";
  }
  return text;
}

std::string notes(const trace_answer& answer) {
  const trace_facts& facts = answer.facts;
  std::string text;
  const auto note = [&text](std::uint64_t count, const char* what) {
    if (count != 0) text += "  " + grouped(count) + " " + what + "\n";
  };
  for (const std::string& repair : repairs_of(facts)) text += "  " + repair + "\n";
  note(answer.unchained, "blocks stand behind another block than before: their names are not those of prefixes");
  for (const hit_count& each : answer.hits)
    note(each.requests_starved, ("requests found no room for all of their blocks at capacity " + capacity_of(each)).c_str());
  return text;
}

}  // namespace

bool contradicts_itself(const trace_answer& answer) {
  return answer.unchained == 0 &&
         std::any_of(answer.hits.begin(), answer.hits.end(), [](const hit_count& each) { return each.hits != each.prefix_hits; });
}

std::string trace_text(const std::string& path, const trace_question& question, const trace_answer& answer) {
  const trace_facts& facts = answer.facts;
  std::string text = reports::excerpt(path) + ": " + grouped(facts.requests) + " requests in " + seconds(facts.length) + ", at " +
                     grouped(facts.ticks) + " different times\n  " + grouped(facts.input_tokens) + " tokens of prompts, " +
                     grouped(facts.output_tokens) + " of answers\n";
  if (facts.format == trace_format::csv)
    return text + notes(answer) + "Times and lengths only: there is nothing in it that could be found again.\n";
  text += "  " + grouped(facts.blocks) + " blocks of up to " + grouped(question.tokens_per_block) + " tokens, " +
          grouped(facts.blocks_full) + " of them full\n" + notes(answer) + "\nHits, and their share of the blocks asked for\n\n" +
          table(question, answer) + "\n";
  if (contradicts_itself(answer))
    return text + "Hits per block and per longest prefix differ, although blocks are chained: a bug of kvrace.\n";
  const bool equal =
      std::all_of(answer.hits.begin(), answer.hits.end(), [](const hit_count& each) { return each.hits == each.prefix_hits; });
  return text + (equal ? "Hits per block and per longest prefix are equal everywhere.\n"
                       : "Hits per block and per longest prefix differ, as names are not those of prefixes.\n");
}

std::string trace_json(const std::string& path, const trace_question& question, const trace_answer& answer) {
  using json = nlohmann::ordered_json;
  static constexpr const char* policies[] = {"plain_lru_all_blocks", "plain_lru_full_blocks", "cache"};
  const trace_facts& facts = answer.facts;
  char digest[32];
  std::snprintf(digest, sizeof digest, "0x%016llx", static_cast<unsigned long long>(facts.digest));
  json hits = json::array();
  for (const hit_count& each : answer.hits) {
    json entry = {{"policy", policies[static_cast<std::size_t>(each.by)]}};
    if (each.by == hit_count::policy::cache) entry["locking"] = question.locking;
    entry["capacity_blocks"] = each.capacity == cache::plain_lru::unbounded ? json() : json(each.capacity);
    entry["references"] = each.references;
    entry["hits"] = each.hits;
    entry["prefix_hits"] = each.prefix_hits;
    entry["requests_starved"] = each.requests_starved;
    hits.push_back(std::move(entry));
  }
  const json document = {{"trace_schema_version", trace_schema_version},
                         {"path", reports::printable(path)},
                         {"digest", digest},
                         {"format", name_of(facts.format)},
                         {"requests", facts.requests},
                         {"length_ns", facts.length.count()},
                         {"ticks", facts.ticks},
                         {"input_tokens", facts.input_tokens},
                         {"output_tokens", facts.output_tokens},
                         {"tokens_per_block", question.tokens_per_block},
                         {"blocks", facts.blocks},
                         {"blocks_full", facts.blocks_full},
                         {"blocks_unchained", answer.unchained},
                         {"repairs",
                          {{"lines_blank", facts.lines_blank},
                           {"lines_crlf", facts.lines_crlf},
                           {"members_ignored", facts.members_ignored},
                           {"last_line_open", facts.last_line_open}}},
                         {"hits", std::move(hits)}};
  return document.dump(2) + "\n";
}

}  // namespace kvrace::scenarios
