// Traffic that a rollout routes among three caches.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <kvrace/sync.h>

#include "scenarios/rollout_watch.h"
#include "scenarios/scenario.h"
#include "scenarios/traffic_program.h"

namespace kvrace::scenarios {

// Where in 0 .. traffic_split::whole - 1 a request falls: a hash of its number, and so the same for any schedule.
[[nodiscard]] std::uint32_t draw_of(std::uint64_t seed, std::uint64_t number);

// Requires a scenario with traffic and a rollout.
class rollout_traffic final : public traffic_router {
 public:
  explicit rollout_traffic(const scenario&);

  std::unique_ptr<cache::simulation> begin_run(kvrace::run&) override;
  void begins(std::uint64_t number) override { routed_->falls_to(draw_of(seed_, number)); }
  void ended(const traffic_account::ended_request&) override;
  void after(const traffic_account::ended_request&) override;
  void end_run() override;

  // Of each rollout of the last run that was counted, in order.
  [[nodiscard]] const std::vector<reports::rollout_facts>& facts() const { return facts_; }

 private:
  void control();
  [[nodiscard]] std::chrono::nanoseconds early_for_next_look() const;
  [[nodiscard]] bool is_over() const;
  // Decides and carries out, one task at a time: what was decided last is done last.
  template <class Decide>
  void steer(Decide decide);

  cache::rollout_options caches_;
  std::uint64_t seed_;
  rollout_watch watch_;
  std::vector<reports::rollout_facts> facts_;
  // Of the present run, in its memory.
  cache::rollout* routed_ = nullptr;
  sync::mutex* steering_ = nullptr;
  bool over_ = false;
};

// The same traffic when the candidate gets all requests from the first rollout on.
class released_traffic final : public traffic_router {
 public:
  released_traffic(const scenario&, std::vector<silent_release::span>);

  std::unique_ptr<cache::simulation> begin_run(kvrace::run&) override;
  void begins(std::uint64_t number) override { routed_->falls_to(draw_of(seed_, number)); }
  void ended(const traffic_account::ended_request&) override;
  void end_run() override {}

  [[nodiscard]] const silent_release& served() const { return served_; }

 private:
  cache::rollout_options caches_;
  std::uint64_t seed_;
  std::chrono::nanoseconds begins_;
  silent_release served_;
  cache::rollout* routed_ = nullptr;
};

}  // namespace kvrace::scenarios
