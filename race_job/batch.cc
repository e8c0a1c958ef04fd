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
  void finish(places wanted) {
    symbols names;
    std::vector<std::uintptr_t> addresses;
    for (const auto& [stacks, same] : by_stacks_)
      for (const auto& stack : same.stacks) addresses.insert(addresses.end(), stack.begin(), stack.end());
    if (wanted == places::readable) names.look_up(addresses);
    std::map<std::string, group> by_sites;
    for (auto& [stacks, same] : by_stacks_) {
      std::vector<std::string> sites;
      for (std::size_t i = 0; i < same.stacks.size(); ++i) {
        same.example.accesses[i].frames = names.frames_of(same.stacks[i]);
        sites.push_back(same.example.accesses[i].frames.empty() ? "?" : same.example.accesses[i].frames.front());
      }
      std::sort(sites.begin(), sites.end());
      std::string where = same.example.kind;
      for (const std::string& site : sites) where += "\t" + site;
      by_sites[where].merge(std::move(same));
    }
    for (auto& [where, same] : by_sites) {
      same.example.made = same.made;
      same.example.runs = same.runs.size();
      same.example.unexplained = same.unexplained.size();
      same.example.both_fail = same.both_fail.size();
      into_.reports.push_back(std::move(same.example));
    }
    into_.runs_reported = runs_reported_.size();
    for (auto& [signature, entry] : engine_) into_.engine.push_back(std::move(entry));
  }

 private:
  // Reports of one kind with the same stacks, later those at the same sites.
  struct group {
    report_entry example;  // the first unexplained one, or the first
    bool example_explained = true;
    std::vector<std::vector<std::uintptr_t>> stacks;  // of its accesses
    std::uint64_t made = 0;
    std::set<std::uint64_t> runs;
    std::set<std::uint64_t> unexplained;
    std::set<std::uint64_t> both_fail;

    void merge(group&& other) {
      if (made == 0 || std::pair(other.example_explained, other.example.run) < std::pair(example_explained, example.run)) {
        example = std::move(other.example);
        example_explained = other.example_explained;
        stacks = std::move(other.stacks);
      }
      made += other.made;
      runs.merge(other.runs);
      unexplained.merge(other.unexplained);
      both_fail.merge(other.both_fail);
    }
  };

  void add_report(const std::vector<std::string>& part) {
    group added;
    added.made = 1;
    added.example.run = number(part[1]);
    added.example.step = number(part[2]);
    added.example_explained = part[3] != "0";
    added.example.kind = part[4];
    added.example.schedule = part[5];
    std::string key = part[4];
    for (std::size_t i = 6; i < part.size(); ++i) {
      const std::vector<std::string> access = split(part[i], ' ');
      added.example.accesses.push_back({.write = access[0] == "1",
                                        .atomic = access[1] == "1",
                                        .bytes = static_cast<unsigned>(number(access[2])),
                                        .task = std::stoi(access[3]),
                                        .frames = {}});
      std::vector<std::uintptr_t>& stack = added.stacks.emplace_back();
      if (access.size() > 4)
        for (const std::string& address : split(access[4], ',')) stack.push_back(number(address));
      key += "\t" + (access.size() > 4 ? access[4] : "");
    }
    added.runs.insert(added.example.run);
    if (part[3] == "0") added.unexplained.insert(added.example.run);
    if (part[3] == "2") added.both_fail.insert(added.example.run);
    runs_reported_.insert(added.example.run);
    by_stacks_[key].merge(std::move(added));
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
  std::map<std::string, group> by_stacks_;
  std::set<std::uint64_t> runs_reported_;
  std::map<std::string, engine_entry> engine_;
};

scenario_results begin(const question& asked) {
  scenario_results made;
  made.name = asked.name;
  made.strategy = asked.options.strategy->make(asked.options.seed)->describe();
  made.seed = asked.options.seed;
  made.only_instrumentation = asked.only_instrumentation;
  made.blind = !asked.options.limits.data_races;
  return made;
}

}  // namespace

scenario_results measure(const question& asked, std::uint64_t first_run, places wanted) {
  constexpr std::size_t crashes_max = 5;
  scenario_results made = begin(asked);
  made.first_run = first_run;
  tally sums(made);
  const shared_counter run_now;
  const std::uint64_t cpu_us = children_cpu_us();
  const std::uint64_t runs_end = first_run + asked.options.runs;
  std::size_t crashed = 0;
  for (std::uint64_t next = first_run; next < runs_end && crashed < crashes_max;) {
    const child_outcome outcome = in_child([&](const tell& out) { run_batch(asked, next, runs_end, run_now.value, out); });
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
  sums.finish(wanted);
  return made;
}

scenario_results measure_schedule(const question& asked, const kvrace::schedule& schedule) {
  scenario_results made = begin(asked);
  made.along = schedule.to_string();
  tally sums(made);
  const child_outcome outcome = in_child([&](const tell& out) { run_schedule(asked, schedule, out); });
  if (!sums.add(outcome.output) || !outcome.crash.empty())
    made.crashes.push_back({0, "the process ended with " + (outcome.crash.empty() ? "no result" : outcome.crash)});
  sums.finish(places::readable);
  return made;
}

}  // namespace kvrace::race_job
