// kvrace_race_job run ...: one build's part of the job. kvrace_race_job compare ...: the verdict. scripts/race_job calls both.
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>
#include <string>
#include <utility>
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
    "usage: kvrace_race_job run [--scenarios NAME...] [--runs N] [--seed N] [--run N | --schedule TEXT] [--blind] [--shard "
    "I/N] [--time SECONDS] [--like FILE] --results FILE\n"
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

std::pair<unsigned, unsigned> part(const std::string& text) {
  constexpr std::uint64_t parts_max = 10'000;
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos)
    throw usage_error("--shard: expected a part and how many there are, as 2/4, not '" + text + "'");
  const std::uint64_t count = integer("--shard", text.substr(slash + 1), 1);
  const std::uint64_t index = integer("--shard", text.substr(0, slash), 1);
  if (count > parts_max || index > count)
    throw usage_error("--shard: expected an integer from 1 to " + std::to_string(std::min(count, parts_max)) + ", not '" +
                      std::to_string(index) + "'");
  return {static_cast<unsigned>(index), static_cast<unsigned>(count)};
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
    static const std::vector<std::string> known = {"--runs",  "--seed", "--run",  "--schedule",
                                                   "--shard", "--time", "--like", "--results"};
    if (std::find(known.begin(), known.end(), option) == known.end()) throw usage_error("unknown argument '" + option + "'");
    if (at == arguments.size()) throw usage_error(option + ": expected a value");
    const std::string& value = arguments[at++];
    if (option == "--runs") wanted.runs = integer(option, value, 1);
    if (option == "--seed") wanted.seed = integer(option, value, 0);
    if (option == "--run") wanted.run = integer(option, value, 0);
    if (option == "--schedule") wanted.schedule = value;
    if (option == "--shard") wanted.shard = part(value);
    if (option == "--time") wanted.time_s = static_cast<double>(integer(option, value, 1));
    if (option == "--like") wanted.like = value;
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
  const kvrace::race_job::job_results found = kvrace::race_job::carry_out(wanted);
  std::ofstream out(file);
  kvrace::race_job::write(out, found.made);
  if (!out.flush()) throw usage_error("cannot write " + file);
  if (found.left_out == 0) return 0;
  std::cerr << "The time is over, and " << found.left_out << " of " << found.made.scenarios.size() + found.left_out
            << " scenarios were not run\n";
  return kvrace::scenarios::exit_not_shown;
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
