// What the traffic of a search measured, window by window of virtual time.
//
// The driver tells every change of state when it happens; time passes for the account only then.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include <kvrace/cache/simulation.h>

#include "reports/report.h"
#include "scenarios/latency.h"
#include "scenarios/traffic.h"

namespace kvrace::scenarios {

class traffic_account {
 public:
  explicit traffic_account(const traffic&);

  // Another run, with the same arrivals: they do not depend on the schedule. What is not `counted` goes nowhere.
  void begin_run(bool counted);

  // A worker has reserved itself for the next arrival.
  void taken(std::chrono::nanoseconds now);
  void started(std::chrono::nanoseconds now);
  struct ended_request {
    arrival::kind what = arrival::kind::serve;
    bool cancelled = false;
    cache::request_outcome outcome = {};
    std::uint64_t tokens_queried = 0;
    std::uint64_t tokens_hit = 0;
    std::chrono::nanoseconds latency = {};
  };
  void ended(std::chrono::nanoseconds now, const ended_request&);
  // True if a window has ended whose structures have not been audited.
  [[nodiscard]] bool audit_due() const { return audit_due_; }
  void audited(const cache::audit_counts&);
  // All requests have ended.
  void end_run(std::chrono::nanoseconds now);

  [[nodiscard]] std::uint64_t requests_ended() const { return requests_ended_; }  // of the present run
  [[nodiscard]] std::uint64_t requests_expected() const { return shape_.requests_expected(); }

  // What the counted runs measured; of a run that was cut short, what came before its last event. To be called between runs.
  [[nodiscard]] reports::traffic_facts facts();

 private:
  __extension__ using wide = unsigned __int128;
  // Sums over runs.
  struct sums {
    std::uint64_t runs = 0;
    std::uint64_t length_ns = 0;
    std::uint64_t arriving_ns = 0;  // of it before the last arrival
    std::uint64_t arrivals = 0;
    std::uint64_t completed = 0;
    std::uint64_t cancelled = 0;
    std::uint64_t invalidations = 0;
    std::uint64_t starved = 0;
    std::uint64_t polluted = 0;
    std::uint64_t stale = 0;
    std::uint64_t tokens_queried = 0;
    std::uint64_t tokens_hit = 0;
    std::uint64_t blocks = 0;
    std::uint64_t ghosts = 0;
    wide in_flight_ns = 0;  // requests in flight, times how long
    wide queued_ns = 0;
    std::uint64_t in_flight_max = 0;
    std::uint64_t queued_max = 0;
    latency_cells latencies;

    void add(const sums&);
  };

  void advance(std::chrono::nanoseconds now);
  void pass(std::chrono::nanoseconds until);
  void integrate(std::chrono::nanoseconds until);
  void close_window();
  void end_cut_run();
  static reports::traffic_window describe(const sums&, std::chrono::nanoseconds start);

  traffic shape_;
  std::vector<sums> windows_;

  // Of the present run.
  bool running_ = false;
  bool counted_ = false;
  arrival_times ahead_;  // when requests arrive, whether or not a worker has taken them
  std::optional<std::chrono::nanoseconds> next_arrival_;
  std::size_t window_ = 0;
  sums open_;
  latency_histogram latencies_;
  std::chrono::nanoseconds now_{};
  std::uint64_t arrived_ = 0;
  std::uint64_t taken_ = 0;
  std::uint64_t in_flight_ = 0;
  std::uint64_t requests_ended_ = 0;
  bool audit_due_ = false;
};

}  // namespace kvrace::scenarios
