#include "race_job/watcher.h"

#include <memory>
#include <utility>

#include <kvrace/observer.h>

#include "race_job/results.h"
#include "race_job/sanitizer.h"

namespace kvrace::race_job {

namespace {

// A batch ends after so many steps. ThreadSanitizer counts the releases of a task in 14 bits; when they overflow it may miss the
// race of that moment (measured over 16 million releases: 5 of 40,000 races missed, none invented). Making a process costs up to
// 35 ms, as much as 200 runs.
constexpr std::uint64_t batch_steps = 500'000;
// Longer schedules are not told: the run repeats by its number.
constexpr std::size_t schedule_max = 2'000;

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0xff51afd7ed558ccd;
  return hash ^ (hash >> 32U);
}

std::uint64_t digest_of(const observed_run& run) {
  std::uint64_t hash = mix(0x9e3779b97f4a7c15, run.index);
  hash = mix(mix(hash, run.summary.steps), run.summary.decisions);
  for (const deviation& each : run.deviations)
    hash = mix(mix(mix(mix(hash, static_cast<std::uint64_t>(each.what)), each.task), each.operation), each.answer);
  if (run.first) {
    for (const char character : run.first->oracle) hash = mix(hash, static_cast<unsigned char>(character));
    hash = mix(hash, run.first->step);
  }
  return hash;
}

std::string schedule_of(const observed_run& run) {
  if (run.deviations.size() > schedule_max) return "";
  return kvrace::schedule{run.set_up, {run.deviations.begin(), run.deviations.end()}}.to_string();
}

std::string signature_of(const observed_violation& violation) {
  finding probe;
  probe.oracle = violation.oracle;
  probe.subject = violation.subject;
  probe.sites = {violation.sites.begin(), violation.sites.end()};
  return probe.signature();
}

std::string text_of(const access& access) {
  std::string text = std::string(access.write ? "1" : "0") + " " + (access.atomic ? "1" : "0") + " " +
                     std::to_string(access.bytes) + " " + std::to_string(access.task) + " ";
  for (const std::uintptr_t frame : access.stack) {
    if (frame == 0) break;
    text += std::to_string(frame) + ",";
  }
  return text;
}

class watcher final : public search_observer {
 public:
  watcher(const question& asked, const tell& out) : out_(out), flawed_(asked.flawed) {}

  bool on_progress(const search_progress&) override { return true; }

  void on_run(const observed_run& run) override {
    ++runs_;
    steps_ += run.summary.steps;
    decisions_ += run.summary.decisions;
    digest_ += digest_of(run);
    if (run.first || reports_made() != 0) judge(run);
  }

  [[nodiscard]] bool long_enough() const { return steps_ >= batch_steps; }
  void end(std::uint64_t next_run) const {
    out_("end\t" + std::to_string(next_run) + "\t" + std::to_string(runs_) + "\t" + std::to_string(steps_) + "\t" +
         std::to_string(decisions_) + "\t" + std::to_string(digest_));
  }

 private:
  void judge(const observed_run& run) {
    const std::string number = std::to_string(run.index);
    const observed_violation* of_memory = nullptr;
    for (const auto* each : {&run.first, &run.last})
      if (*each && is_memory_oracle((*each)->oracle)) of_memory = &**each;
    const bool other_failure = flawed_ && run.first && of_memory == nullptr;
    bool seen = false;
    const std::string schedule = reports_made() != 0 || of_memory != nullptr ? schedule_of(run) : "";
    for (const raw_report& report : reports()) {
      const bool explained = of_memory != nullptr && of_memory->step == report.step;
      seen |= explained;
      std::string line = "report\t" + number + "\t" + std::to_string(report.step) +
                         (explained       ? "\t1\t"
                          : other_failure ? "\t2\t"
                                          : "\t0\t") +
                         report.kind.data() + "\t" + schedule;
      for (unsigned i = 0; i < report.accesses; ++i) line += "\t" + text_of(report.access_of[i]);
      out_(line);
    }
    if (reports_made() > reports().size()) out_("lost\t" + number + "\t" + std::to_string(reports_made() - reports().size()));
    if (run.first) out_("violation\t" + number + "\t" + std::string(run.first->oracle));
    if (of_memory != nullptr) out_("engine\t" + number + (seen ? "\t1\t" : "\t0\t") + signature_of(*of_memory) + "\t" + schedule);
  }

  const tell& out_;
  const bool flawed_;
  std::uint64_t runs_ = 0;
  std::uint64_t steps_ = 0;
  std::uint64_t decisions_ = 0;
  std::uint64_t digest_ = 0;
};

// Runs from `first_run` on, until the watcher has seen enough. A run may be asked for twice.
class batch_strategy final : public strategy {
 public:
  batch_strategy(std::unique_ptr<strategy> inner, std::uint64_t first_run, const watcher& watched,
                 volatile std::uint64_t* run_now)
      : inner_(std::move(inner)), first_run_(first_run), watched_(watched), run_now_(run_now) {}

  bool begin_run(std::uint64_t index, const execution_view& view) override {
    if (first_run_ + index > *run_now_ && watched_.long_enough()) return false;
    *run_now_ = first_run_ + index;
    forget_reports();
    return inner_->begin_run(first_run_ + index, view);
  }
  task_answer choose_task(const decision& now) override { return inner_->choose_task(now); }
  std::uint64_t choose_value(unsigned task, std::uint64_t outcomes) override { return inner_->choose_value(task, outcomes); }
  void end_run(const run_summary& summary) override { inner_->end_run(summary); }
  [[nodiscard]] bool wants_wakeups() const override { return inner_->wants_wakeups(); }
  [[nodiscard]] bool wants_every_step() const override { return inner_->wants_every_step(); }
  [[nodiscard]] std::optional<std::string> divergence() const override { return inner_->divergence(); }
  [[nodiscard]] std::string describe() const override { return inner_->describe(); }

 private:
  std::unique_ptr<strategy> inner_;
  std::uint64_t first_run_;
  const watcher& watched_;
  volatile std::uint64_t* run_now_;
};

struct batch_factory final : strategy_factory {
  strategy_choice inner;
  std::uint64_t first_run = 0;
  const watcher* watched = nullptr;
  volatile std::uint64_t* run_now = nullptr;

  [[nodiscard]] std::unique_ptr<strategy> make(std::uint64_t seed) const override {
    return std::make_unique<batch_strategy>(inner->make(seed), first_run, *watched, run_now);
  }
};

// The engine's runs count from 0 in every batch.
class renumbered final : public search_observer {
 public:
  renumbered(watcher& inner, std::uint64_t first_run) : inner_(inner), first_run_(first_run) {}
  bool on_progress(const search_progress& now) override { return inner_.on_progress(now); }
  void on_run(const observed_run& run) override {
    observed_run moved = run;
    moved.index += first_run_;
    inner_.on_run(moved);
  }

 private:
  watcher& inner_;
  std::uint64_t first_run_;
};

}  // namespace

void run_batch(const question& asked, std::uint64_t first_run, std::uint64_t runs_end, volatile std::uint64_t* run_now,
               const tell& out) {
  watch_engine();
  watcher watched(asked, out);
  renumbered observer(watched, first_run);
  const auto factory = std::make_shared<batch_factory>();
  factory->inner = asked.options.strategy;
  factory->first_run = first_run;
  factory->watched = &watched;
  factory->run_now = run_now;
  check_options options = asked.options;
  options.strategy = factory;
  options.runs = runs_end - first_run;
  options.stop_at_violation = options.count_distinct = false;
  options.observer = &observer;
  *run_now = first_run;
  const result found = check(options, asked.program);
  if (found.verdict == verdict::unsound)
    out("unsound\t" + std::to_string(first_run + found.findings.front().run) + "\t" + found.findings.front().message);
  watched.end(first_run + found.counts.runs);
}

void run_schedule(const question& asked, const kvrace::schedule& schedule, const tell& out) {
  watch_engine();
  forget_reports();
  watcher watched(asked, out);
  const result found = replay({.limits = asked.options.limits, .metrics = asked.options.metrics}, schedule, asked.program);
  observed_run run;
  run.summary.steps = found.counts.steps;
  run.deviations = schedule.deviations;
  run.set_up = schedule.set_up;
  if (!found.findings.empty()) {
    const finding& first = found.findings.front();
    run.first = observed_violation{first.oracle, first.subject, first.sites, first.step};
  }
  watched.on_run(run);
  if (found.verdict == verdict::unsound) out("unsound\t0\t" + found.findings.front().message);
  watched.end(1);
}

}  // namespace kvrace::race_job
