#include "reports/shards.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "reports/input_error.h"

namespace kvrace::reports {
namespace {

std::string refusal(const part& of, const std::string& expected) { return input_error{"", expected}.to_line(of.path); }

std::string name_of(const shard_facts& shard) { return std::to_string(shard.index) + '/' + std::to_string(shard.count); }

// The first thing that is wrong with one part.
std::optional<std::string> complaint(const part& one, const part& first) {
  if (one.reports.empty() || !one.reports.front().shard)
    return refusal(one, "expected a part of a divided command, as 'kvrace run --shard' writes it");
  const shard_facts& shard = *one.reports.front().shard;
  for (const report& facts : one.reports)
    if (facts.shard != shard) return refusal(one, "expected reports of one part only, " + name_of(shard));
  const report& reference = first.reports.front();
  if (shard.command != reference.shard->command || shard.count != reference.shard->count ||
      shard.scenarios != reference.shard->scenarios)
    return refusal(one, "expected a part of the same command as '" + first.path + "'");
  for (const report& facts : one.reports)
    if (facts.build != reference.build) return refusal(one, "expected a report of the same build as '" + first.path + "'");
  const std::uint64_t wanted = (shard.scenarios + shard.count - shard.index) / shard.count;
  if (one.reports.size() != wanted)
    return refusal(one, "expected " + std::to_string(wanted) + " scenarios in part " + name_of(shard) + ", not " +
                            std::to_string(one.reports.size()));
  return std::nullopt;
}

}  // namespace

std::variant<std::vector<report>, std::string> merged(std::vector<part> parts) {
  if (parts.empty()) return std::string("expected the parts of a divided command");
  for (const part& each : parts)
    if (const std::optional<std::string> wrong = complaint(each, parts.front())) return *wrong;
  const shard_facts whole = *parts.front().reports.front().shard;
  std::ranges::sort(parts, {}, [](const part& each) { return each.reports.front().shard->index; });
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const shard_facts& here = *parts[i].reports.front().shard;
    if (i > 0 && parts[i - 1].reports.front().shard->index == here.index)
      return refusal(parts[i], "expected each part once, and " + name_of(here) + " is in '" + parts[i - 1].path + "' too");
    if (here.index != i + 1) break;
  }
  for (unsigned index = 1; index <= whole.count; ++index)
    if (index > parts.size() || parts[index - 1].reports.front().shard->index != index)
      return refusal(parts.front(), "expected the other parts too, and " + std::to_string(index) + '/' +
                                        std::to_string(whole.count) + " is missing");
  std::vector<report> all;
  for (std::uint64_t i = 0; i < whole.scenarios; ++i) {
    all.push_back(std::move(parts[i % whole.count].reports[i / whole.count]));
    all.back().shard.reset();
  }
  return all;
}

}  // namespace kvrace::reports
