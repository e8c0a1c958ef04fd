#include "reports/fingerprint.h"

#include <cstdio>
#include <map>

namespace kvrace::reports {
namespace {

// "block 12" and "block 7" are of one kind, and so are "atomic 1.4" and "atomic 2.1".
std::string without_digits(std::string text) {
  std::erase_if(text, [](char c) { return c >= '0' && c <= '9'; });
  return text;
}

// Where the compiler was called does not matter.
std::string within_project(std::string file) {
  while (file.starts_with("../")) file.erase(0, 3);
  return file;
}

}  // namespace

std::uint64_t hash_of(std::initializer_list<std::string_view> parts) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  const auto add = [&hash](unsigned char byte) { hash = (hash ^ byte) * 0x100000001b3U; };
  for (const std::string_view part : parts) {
    for (const char c : part) add(static_cast<unsigned char>(c));
    add(0);
  }
  return hash;
}

std::string hexadecimal(std::uint64_t value) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
  return text;
}

std::string scenario_id(const scenario_facts& scenario) {
  static constexpr std::string_view shrunk = " (shrunk)";
  std::string_view id = scenario.path;
  if (id.ends_with(shrunk)) id.remove_suffix(shrunk.size());
  if (const std::size_t slash = id.rfind('/'); slash != std::string_view::npos) id.remove_prefix(slash + 1);
  if (id.ends_with(".json")) id.remove_suffix(5);
  return id.empty() ? scenario.name : std::string(id);
}

std::vector<std::string> fingerprints(const report& facts) {
  const std::string id = scenario_id(facts.scenario);
  std::vector<std::string> all;
  std::map<std::string, unsigned> seen;
  for (const finding& found : facts.result.findings) {
    std::string files;
    for (const source_site& site : found.sites) files += within_project(site.file) + '\n';
    std::string print = hexadecimal(hash_of({id, found.oracle, without_digits(found.subject), files}));
    const unsigned count = ++seen[print];
    if (count > 1) print += '-' + std::to_string(count);
    all.push_back(std::move(print));
  }
  return all;
}

}  // namespace kvrace::reports
