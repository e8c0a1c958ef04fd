#include <kvrace/cache/rollout.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <kvrace/moment.h>
#include <kvrace/sync.h>

#include "cache_model/describe.h"
#include "cache_model/flaws/flaws.h"
#include "cache_model/rollout/traffic_switch.h"

namespace kvrace::cache {

namespace {

simulation_options named(simulation_options options, population which) {
  options.name = to_string(which);
  return options;
}

// The switch is neither cache's: a flaw in it may be written beside those of either.
seams planted(const rollout_options& options) {
  seams all;
  for (const simulation_options* each : {&options.stable, &options.candidate})
    for (const std::string& name : each->configuration.flaws) find_flaw(name)->plant(all);
  return all;
}

class routed final : public rollout {
 public:
  routed(run& run, const rollout_options& options) : policy_(*planted(options).rollback), switch_(options.split) {
    at(population::stable) = make_simulation(run, named(options.stable, population::stable));
    at(population::candidate) = make_simulation(run, named(options.candidate, population::candidate));
    if (options.baseline) at(population::baseline) = make_simulation(run, named(options.stable, population::baseline));
  }
  // The memory is the run's, which may be cut short.
  static void* operator new(std::size_t) { return allocator<routed>().allocate(1); }
  static void operator delete(void* object) noexcept { allocator<routed>().deallocate(static_cast<routed*>(object), 1); }

  std::size_t lookup(const prompt& prompt) override {
    return take_in([&](simulation& cache, passage& passage) { return cache.lookup_by(passage, prompt); });
  }
  std::size_t serve(const prompt& prompt, cancel_point cancel, const service_times& times) override {
    return take_in([&](simulation& cache, passage& passage) { return cache.serve_by(passage, prompt, cancel, times); });
  }
  std::optional<std::size_t> lookup_by(passage&, const prompt& prompt) override { return lookup(prompt); }
  std::optional<std::size_t> serve_by(passage&, const prompt& prompt, cancel_point cancel, const service_times& times) override {
    return serve(prompt, cancel, times);
  }
  void invalidate() override {
    for (const auto& each : caches_)
      if (each) each->invalidate();
  }

  void expect_match(const prompt& prompt, std::size_t tokens) override { stable().expect_match(prompt, tokens); }
  std::size_t promise(const prompt& prompt) override { return stable().promise(prompt); }
  std::size_t retrieve() override { return stable().retrieve(); }
  void follow_evictions(std::uint32_t count) override { stable().follow_evictions(count); }
  cache::parts& parts() override { return stable().parts(); }

  request_outcome outcome() const override { return caches_[static_cast<std::size_t>(served_by())]->outcome(); }

  text_read text() const override { return caches_[static_cast<std::size_t>(served_by())]->text(); }

  std::optional<audit_counts> audit() override {
    if (!run::is_quiescent()) return std::nullopt;
    audit_counts sum;
    for (const auto& each : caches_)
      if (each) add(sum, each->audit().value_or(audit_counts{}));
    return sum;
  }
  audit_counts finish() override {
    audit_counts sum;
    for (const auto& each : caches_)
      if (each) add(sum, each->finish());
    return sum;
  }

  void falls_to(std::uint32_t draw) override { draws_[run::task()] = draw; }
  population served_by() const override { return served_by_[run::task()]; }

  void route(traffic_split split) override {
    const operation operation([&] { return "route(" + describe(split) + ")"; });
    switch_.route(split);
  }
  void roll_back() override {
    const operation operation([] { return std::string("roll_back()"); });
    if (policy_.closes_split_first()) switch_.close();
    for (const population each : {population::candidate, population::baseline})
      if (at(each)) at(each)->invalidate();
    if (!policy_.closes_split_first()) switch_.close();
    const bookkeeping scope;
    rollbacks_.emplace_back();
  }

 private:
  // Of one request that is not the stable cache's.
  class route_taken final : public passage {
   public:
    route_taken(routed& from, std::uint32_t number, std::uint32_t rollbacks) : from_(from), number_(number) {
      rollbacks_before = rollbacks;
    }
    bool holds() override { return !from_.policy_.looks_again() || from_.switch_.load().rollbacks == number_; }

   private:
    routed& from_;
    std::uint32_t number_;
  };

  static void add(audit_counts& sum, const audit_counts& more) {
    sum.blocks += more.blocks;
    sum.ghosts += more.ghosts;
  }
  static std::string describe(const traffic_split& split) {
    return "candidate " + std::to_string(split.candidate) + ", baseline " + std::to_string(split.baseline) + " of " +
           std::to_string(traffic_split::whole);
  }
  std::unique_ptr<simulation>& at(population which) { return caches_[static_cast<std::size_t>(which)]; }
  simulation& stable() { return *at(population::stable); }

  population choose(const traffic_split& split, std::uint32_t draw) {
    if (draw < split.candidate) return population::candidate;
    if (draw - split.candidate < split.baseline && at(population::baseline)) return population::baseline;
    return population::stable;
  }

  // Routes a request, and again to the stable cache if a rollback has overtaken it.
  template <class Call>
  std::size_t take_in(Call call) {
    const std::uint32_t draw = std::exchange(draws_[run::task()], 0);
    const auto [to, number] = look_where(draw);
    served_by_[run::task()] = to;
    if (to != population::stable) {
      route_taken passage(*this, number, rollbacks_before_now());
      if (const std::optional<std::size_t> tokens = call(*at(to), passage)) return *tokens;
      served_by_[run::task()] = population::stable;
    }
    class for_good final : public passage {
      bool holds() override { return true; }
    } passage;
    return *call(stable(), passage);
  }

  std::pair<population, std::uint32_t> look_where(std::uint32_t draw) {
    operation operation([] { return std::string("where to()"); });
    const auto seen = switch_.load();
    const population to = choose(seen.split, draw);
    operation.returns([&] { return std::string(to_string(to)); });
    return {to, seen.rollbacks};
  }

  [[nodiscard]] std::uint32_t rollbacks_before_now() const {
    const bookkeeping scope;
    return static_cast<std::uint32_t>(
        std::count_if(rollbacks_.begin(), rollbacks_.end(), [](const moment& each) { return each.is_before_now(); }));
  }

  const rollback_policy& policy_;
  traffic_switch<sync> switch_;
  std::array<std::unique_ptr<simulation>, populations> caches_;  // in the order of population; there may be no baseline
  std::array<std::uint32_t, tasks_max + 1> draws_{};
  std::array<population, tasks_max + 1> served_by_{};
  std::vector<moment, allocator<moment>> rollbacks_;  // when each returned
};

}  // namespace

const char* to_string(population which) {
  switch (which) {
    case population::stable: return "stable";
    case population::baseline: return "baseline";
    case population::candidate: return "candidate";
  }
  return "?";
}

std::unique_ptr<rollout> make_rollout(run& run, const rollout_options& options) {
  return std::unique_ptr<rollout>(new routed(run, options));
}

}  // namespace kvrace::cache
