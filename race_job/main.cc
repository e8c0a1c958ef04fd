// kvrace_race_job run ...: one build's part of the job. kvrace_race_job compare ...: the verdict. scripts/race_job calls both.
#include <charconv>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "race_job/compare.h"
#include "race_job/job.h"
#include "race_job/sanitizer.h"
#include "race_job/self_check.h"
#include "race_job/table.h"
#include "scenarios/commands.h"
#include "scenarios/outcome.h"

namespace {

using kvrace::race_job::results;
using kvrace::scenarios::usage_error;

constexpr const char* usage =
    "usage: kvrace_race_job run [--scenarios NAME...] [--runs N] [--seed N] [--run N | --schedule TEXT] [--blind] --results "
    "FILE\n"
    "       kvrace_race_job compare FILE...\n";

std::uint64_t integer(const std::string& option, const std::string& text, std::uint64_t minimum) {
  constexpr std::uint64_t maximum = 9'007'199'254'740'991;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < minimum || value > maximum)
    throw usage_error(option + ": expected an integer from " + std::to_string(minimum) + " to " + std::to_string(maximum) +
                      ", not '" + text + "'");
  return value;
}

int run(const std::vector<std::string>& arguments) {
  kvrace::race_job::job wanted;
  std::string file;
  for (std::size_t at = 0; at < arguments.size();) {
    const std::string& option = arguments[at++];
    if (option == "--scenarios") {
      const std::size_t first = at;
      while (at < arguments.size() && !arguments[at].starts_with("--")) wanted.scenarios.push_back(arguments[at++]);
      if (at == first) throw usage_error("--scenarios: expected numbers, names or files");
      continue;
    }
    if (option == "--blind") {
      wanted.blind = true;
      continue;
    }
    if (option != "--runs" && option != "--seed" && option != "--run" && option != "--schedule" && option != "--results")
      throw usage_error("unknown argument '" + option + "'");
    if (at == arguments.size()) throw usage_error(option + ": expected a value");
    const std::string& value = arguments[at++];
    if (option == "--runs") wanted.runs = integer(option, value, 1);
    if (option == "--seed") wanted.seed = integer(option, value, 0);
    if (option == "--run") wanted.run = integer(option, value, 0);
    if (option == "--schedule") wanted.schedule = value;
    if (option == "--results") file = value;
  }
  if (file.empty()) throw usage_error("expected --results FILE");
  if (wanted.run && wanted.schedule) throw usage_error("expected --run or --schedule, not both");

  const std::vector<std::string> failed = kvrace::race_job::failed_self_checks(kvrace::race_job::self_checks());
  if (!failed.empty()) {
    std::cerr << "This build (sanitizer: " << kvrace::race_job::sanitizer_name()
              << ") does not see what is planted for it, or sees what is not there, so its results would mean nothing:\n";
    for (const std::string& line : failed) std::cerr << "  " << line << "\n";
    return 1;
  }
  const results found = kvrace::race_job::carry_out(wanted);
  std::ofstream out(file);
  kvrace::race_job::write(out, found);
  if (!out.flush()) throw usage_error("cannot write " + file);
  return 0;
}

int compare(const std::vector<std::string>& files) {
  if (files.empty()) throw usage_error("compare: expected files");
  std::vector<results> all;
  for (const std::string& file : files) {
    std::ifstream in(file);
    std::optional<results> read = kvrace::race_job::read(in);
    if (!read) throw usage_error(file + ": expected complete results of kvrace_race_job run");
    all.push_back(*std::move(read));
  }
  const kvrace::race_job::comparison compared = kvrace::race_job::compare(all);
  kvrace::race_job::print(std::cout, all, compared);
  return compared.disagreements.empty() ? 0 : 1;
}

}  // namespace

int main(int argument_count, char** arguments) {
  try {
    const std::vector<std::string> given(arguments + 1, arguments + argument_count);
    if (given.empty() || given[0] == "--help" || given[0] == "-h") {
      std::fputs(usage, given.empty() ? stderr : stdout);
      return given.empty() ? kvrace::scenarios::exit_bad_input : 0;
    }
    const std::vector<std::string> rest(given.begin() + 1, given.end());
    if (given[0] == "run") return run(rest);
    if (given[0] == "compare") return compare(rest);
    throw usage_error("expected run or compare, not '" + given[0] + "'");
  } catch (const usage_error& error) {
    std::cerr << "kvrace_race_job: " << error.line() << "\n" << usage;
    return kvrace::scenarios::exit_bad_input;
  } catch (const std::exception& error) {
    std::cerr << "kvrace_race_job: internal error: " << error.what() << "\n";
    return kvrace::scenarios::exit_internal;
  }
}
