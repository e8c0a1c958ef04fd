#include "race_job/symbols.h"

#include <link.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <memory>
#include <sstream>
#include <string_view>
#include <utility>

namespace kvrace::race_job {

namespace {

constexpr std::size_t frames_max = 6;

// Where the program itself is loaded.
std::uintptr_t load_base() {
  std::uintptr_t base = 0;
  ::dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* out) {
        *static_cast<std::uintptr_t*>(out) = info->dlpi_addr;
        return 1;  // the first is the program
      },
      &base);
  return base;
}

std::string output_of(const std::string& command) {
  std::string text;
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen(command.c_str(), "r"), ::pclose);
  if (pipe == nullptr) return text;
  std::array<char, 4096> buffer{};
  for (std::size_t count = 0; (count = std::fread(buffer.data(), 1, buffer.size(), pipe.get())) != 0;)
    text.append(buffer.data(), count);
  return text;
}

// Where the program is.
std::string build_folder() {
  std::array<char, 4096> path{};
  const ssize_t length = ::readlink("/proc/self/exe", path.data(), path.size() - 1);
  std::string text(path.data(), length > 0 ? static_cast<std::size_t>(length) : 0);
  return text.substr(0, text.rfind('/') + 1);
}

void erase_all(std::string& text, std::string_view part) {
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos;) text.erase(at, part.size());
}

// "kvrace::cache::block_pool<kvrace::sync>::publish(...)" -> "block_pool::publish".
std::string short_name(std::string function) {
  erase_all(function, "(anonymous namespace)::");
  std::string bare;
  int angles = 0;
  for (const char character : function) {
    if (character == '(' && angles == 0 && !bare.ends_with("operator")) break;
    if (character == '<') ++angles;
    if (angles == 0) bare += character;
    if (character == '>') --angles;
  }
  for (const std::string_view part : {"kvrace::", "cache::", "scenarios::", "race_job::"}) erase_all(bare, part);
  // What is left of the result type of a template.
  if (const std::size_t space = bare.rfind(' '); space != std::string::npos && !bare.starts_with("operator"))
    bare.erase(0, space + 1);
  return bare.empty() ? function : bare;
}

bool is_code_under_test(std::string_view frame) {
  return !frame.empty() && frame[0] != '/' && frame[0] != '?' && !frame.starts_with("harness/") && !frame.starts_with("<");
}

}  // namespace

std::string project_path(std::string place, std::string_view build_folder) {
  for (std::string_view tail = build_folder; !tail.empty();) {
    if (place.starts_with(tail)) {
      place.erase(0, tail.size());
      tail = build_folder;
      continue;
    }
    const std::size_t next = tail.find('/');
    tail.remove_prefix(next == std::string_view::npos ? tail.size() : next + 1);
  }
  return place;
}

void symbols::look_up(const std::vector<std::uintptr_t>& addresses) {
  const std::uintptr_t base = load_base();
  const std::string folder = build_folder();
  std::ostringstream command;
  command << "addr2line -a -i -f -C -e /proc/" << ::getpid() << "/exe" << std::hex;
  std::vector<std::uintptr_t> asked;
  for (const std::uintptr_t address : addresses) {
    if (known_.contains(address)) continue;
    known_[address];
    asked.push_back(address);
    command << " 0x" << address - 1 - base;
  }
  if (asked.empty()) return;
  // "0xADDRESS", then pairs of lines, the innermost inlined function first.
  std::istringstream lines(output_of(command.str() + " 2>/dev/null"));
  std::string line;
  std::size_t at = 0;
  std::vector<std::string>* frames = nullptr;
  while (std::getline(lines, line)) {
    if (line.starts_with("0x")) {
      frames = at < asked.size() ? &known_[asked[at++]] : nullptr;
      continue;
    }
    std::string place;
    if (!std::getline(lines, place) || frames == nullptr) break;
    if (const std::size_t note = place.find(" (discriminator"); note != std::string::npos) place.resize(note);
    frames->push_back(project_path(std::move(place), folder) + " in " + short_name(line));
  }
}

std::vector<std::string> symbols::frames_of(const std::vector<std::uintptr_t>& stack) const {
  std::vector<std::string> own;
  std::vector<std::string> others;
  for (const std::uintptr_t address : stack) {
    const auto found = known_.find(address);
    if (found == known_.end()) continue;
    for (const std::string& frame : found->second) (is_code_under_test(frame) ? own : others).push_back(frame);
  }
  std::vector<std::string>& chosen = own.empty() ? others : own;
  if (chosen.size() > frames_max) chosen.resize(frames_max);
  return chosen;
}

}  // namespace kvrace::race_job
