#include "race_job/batch.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <set>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "race_job/symbols.h"
#include "race_job/watcher.h"

namespace kvrace::race_job {

namespace {

std::uint64_t children_cpu_us() {
  rusage usage{};
  ::getrusage(RUSAGE_CHILDREN, &usage);
  const auto us = [](const timeval& time) {
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000 + static_cast<std::uint64_t>(time.tv_usec);
  };
  return us(usage.ru_utime) + us(usage.ru_stime);
}

// What parent and children see.
struct shared_counter {
  volatile std::uint64_t* value;
  shared_counter() {
    void* memory = ::mmap(nullptr, sizeof(std::uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    value = static_cast<volatile std::uint64_t*>(memory);
  }
  shared_counter(const shared_counter&) = delete;
  shared_counter& operator=(const shared_counter&) = delete;
  ~shared_counter() { ::munmap(const_cast<std::uint64_t*>(value), sizeof(std::uint64_t)); }
};

struct child_outcome {
  std::string output;
  std::string crash;  // empty: it ended by itself
};

void write_all(int descriptor, const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t written = ::write(descriptor, text.data() + at, text.size() - at);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) ::_exit(70);  // the parent is gone
    at += static_cast<std::size_t>(written);
  }
}

std::string how_it_ended(int status) {
  if (WIFSIGNALED(status)) return std::string("signal ") + ::strsignal(WTERMSIG(status));
  if (WEXITSTATUS(status) != 0) return "exit code " + std::to_string(WEXITSTATUS(status));
  return "";
}

// Runs `work` in a child and collects the lines it tells.
child_outcome in_child(const std::function<void(const tell&)>& work) {
  int ends[2];
  if (::pipe(ends) != 0) throw std::runtime_error("no pipe");
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("no process");
  if (child == 0) {
    ::close(ends[0]);
    std::string pending;
    try {
      work([&](const std::string& line) {
        pending += line + "\n";
        if (pending.size() >= 1 << 16U) write_all(ends[1], std::exchange(pending, {}));
      });
    } catch (const std::exception& error) {
      pending += "unsound\t0\tan exception: " + std::string(error.what()) + "\n";
    }
    write_all(ends[1], pending);
    ::_exit(0);  // the sanitizer has no more to say
  }
  ::close(ends[1]);
  child_outcome outcome;
  char buffer[1 << 16U];
  for (;;) {
    const ssize_t count = ::read(ends[0], buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    outcome.output.append(buffer, static_cast<std::size_t>(count));
  }
  ::close(ends[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  outcome.crash = how_it_ended(status);
  return outcome;
}

std::vector<std::string> split(const std::string& line, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(line);
  for (std::string part; std::getline(in, part, separator);) parts.push_back(part);
  return parts;
}
std::uint64_t number(const std::string& text) { return std::stoull(text); }

struct raw_access {
  described_access access;
  std::vector<std::uintptr_t> stack;
};

// Adds up the lines of the batches. Reports are told apart by their stacks until these can be read.
class tally {
 public:
  explicit tally(scenario_results& into) : into_(into) {}

  // The run to go on with; nullopt if the batch has not told its end.
  std::optional<std::uint64_t> add(const std::string& output) {
    std::optional<std::uint64_t> next;
    std::istringstream lines(output);
    for (std::string line; std::getline(lines, line);) {
      const std::vector<std::string> part = split(line, '\t');
      if (part[0] == "report" && part.size() >= 6) add_report(part);
      if (part[0] == "violation" && part.size() == 3) ++into_.violations[part[2]];
      if (part[0] == "engine" && part.size() >= 4) add_engine(part);
      if (part[0] == "lost" && part.size() == 3) into_.reports_lost += number(part[2]);
      if (part[0] == "unsound" && part.size() >= 2)
        into_.crashes.push_back({number(part[1]), "the run means nothing: " + (part.size() > 2 ? part[2] : "")});
      if (part[0] == "end" && part.size() == 6) {
        next = number(part[1]);
        into_.runs += number(part[2]);
        into_.steps += number(part[3]);
        into_.decisions += number(part[4]);
        into_.digest += number(part[5]);
      }
    }
    return next;
  }

  // Makes stacks readable and merges what is at the same sites.
  void finish() {
    symbols names;
    std::vector<std::uintptr_t> addresses;
    for (const auto& [key, group] : groups_)
      for (const raw_access& each : group.accesses) addresses.insert(addresses.end(), each.stack.begin(), each.stack.end());
    names.look_up(addresses);
    std::map<std::string, report_entry> merged;
    std::map<std::string, std::set<std::uint64_t>> runs;
    std::map<std::string, std::set<std::uint64_t>> unexplained;
    for (auto& [key, group] : groups_) {
      std::vector<std::string> sites;
      group.entry.accesses.clear();
      for (raw_access& each : group.accesses) {
        each.access.frames = names.frames_of(each.stack);
        sites.push_back(each.access.frames.empty() ? "?" : each.access.frames.front());
        group.entry.accesses.push_back(each.access);
      }
      std::sort(sites.begin(), sites.end());
      std::string where = group.entry.kind;
      for (const std::string& site : sites) where += "\t" + site;
      runs[where].insert(group.runs.begin(), group.runs.end());
      unexplained[where].insert(group.unexplained.begin(), group.unexplained.end());
      const auto [place, fresh] = merged.try_emplace(where, group.entry);
      if (fresh) continue;
      const std::uint64_t made = place->second.made + group.entry.made;
      const bool better = std::pair(!group.first_is_unexplained, group.entry.run) <
                          std::pair(unexplained_first_[where] == 0, place->second.run);
      if (better) place->second = group.entry;
      place->second.made = made;
      unexplained_first_[where] |= group.first_is_unexplained ? 1 : 0;
    }
    for (auto& [where, entry] : merged) {
      entry.runs = runs[where].size();
      entry.unexplained = unexplained[where].size();
      into_.reports.push_back(std::move(entry));
    }
    for (auto& [signature, entry] : engine_) into_.engine.push_back(std::move(entry));
  }

 private:
  struct group {
    report_entry entry;
    std::vector<raw_access> accesses;
    std::set<std::uint64_t> runs;
    std::set<std::uint64_t> unexplained;
    bool first_is_unexplained = false;
  };

  static raw_access access_of(const std::string& text) {
    const std::vector<std::string> part = split(text, ' ');
    raw_access read;
    read.access = {.write = part[0] == "1", .atomic = part[1] == "1", .bytes = static_cast<unsigned>(number(part[2])),
                   .task = std::stoi(part[3]), .frames = {}};
    if (part.size() > 4)
      for (const std::string& address : split(part[4], ',')) read.stack.push_back(number(address));
    return read;
  }

  void add_report(const std::vector<std::string>& part) {
    const std::uint64_t run = number(part[1]);
    const bool explained = part[3] == "1";
    std::string key = part[4];
    std::vector<raw_access> accesses;
    for (std::size_t i = 6; i < part.size(); ++i) {
      accesses.push_back(access_of(part[i]));
      for (const std::uintptr_t address : accesses.back().stack) key += " " + std::to_string(address);
      key += ";";
    }
    group& into = groups_[key];
    if (into.entry.made == 0 || (!explained && !into.first_is_unexplained)) {
      into.entry.kind = part[4];
      into.entry.run = run;
      into.entry.step = number(part[2]);
      into.entry.schedule = part[5];
      into.accesses = std::move(accesses);
      into.first_is_unexplained = !explained;
    }
    ++into.entry.made;
    into.runs.insert(run);
    if (!explained) into.unexplained.insert(run);
  }

  void add_engine(const std::vector<std::string>& part) {
    engine_entry& into = engine_[part[3]];
    if (into.runs++ == 0) {
      into.signature = part[3];
      into.run = number(part[1]);
      into.schedule = part.size() > 4 ? part[4] : "";
    }
    into.seen += part[2] == "1" ? 1 : 0;
  }

  scenario_results& into_;
  std::map<std::string, group> groups_;
  std::map<std::string, int> unexplained_first_;
  std::map<std::string, engine_entry> engine_;
};

scenario_results begin(const question& asked) {
  scenario_results made;
  made.name = asked.name;
  made.strategy = asked.options.strategy->make(asked.options.seed)->describe();
  made.seed = asked.options.seed;
  made.only_instrumentation = asked.only_instrumentation;
  return made;
}

}  // namespace

scenario_results measure(const question& asked, std::uint64_t first_run) {
  constexpr std::size_t crashes_max = 5;
  scenario_results made = begin(asked);
  made.first_run = first_run;
  tally sums(made);
  const shared_counter run_now;
  const std::uint64_t cpu_us = children_cpu_us();
  const std::uint64_t runs_end = first_run + asked.options.runs;
  std::size_t crashed = 0;
  for (std::uint64_t next = first_run; next < runs_end && crashed < crashes_max;) {
    const child_outcome outcome =
        in_child([&](const tell& out) { run_batch(asked, next, runs_end, run_now.value, out); });
    const std::optional<std::uint64_t> after = sums.add(outcome.output);
    if (after && outcome.crash.empty()) {
      if (*after <= next) break;  // an unsound first run: it has been told
      next = *after;
      continue;
    }
    ++crashed;
    made.crashes.push_back({*run_now.value, "the process ended with " + (outcome.crash.empty() ? "no result" : outcome.crash)});
    next = *run_now.value + 1;
  }
  made.cpu_us = children_cpu_us() - cpu_us;
  sums.finish();
  return made;
}

scenario_results measure_schedule(const question& asked, const kvrace::schedule& schedule) {
  scenario_results made = begin(asked);
  tally sums(made);
  const child_outcome outcome = in_child([&](const tell& out) { run_schedule(asked, schedule, out); });
  if (!sums.add(outcome.output) || !outcome.crash.empty())
    made.crashes.push_back({0, "the process ended with " + (outcome.crash.empty() ? "no result" : outcome.crash)});
  sums.finish();
  return made;
}

}  // namespace kvrace::race_job
