// Processes that explore what they are given, and the lines between them and the one that has forked them.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "proof/graph_account.h"

namespace kvrace::detail {

// What a worker says about the item it works on.
struct graph_report {
  explicit graph_report(graph_account since) : account(std::move(since)) {}

  enum class kind : std::uint8_t { goes_on, done, event };
  kind what = kind::goes_on;
  graph_account account;  // of the executions since its last report
  std::string rest;  // goes_on: what is left. event: the graph of an execution that ends the exploration or its beginnings
  std::vector<std::string> given;  // goes_on: what others are to explore, coming after `rest`
};

class graph_workers {
 public:
  // What a worker is asked to do, besides going on.
  static constexpr std::uint32_t nothing = 0;
  static constexpr std::uint32_t stop = 0xffffffff;  // its item is of no interest any more: say that it is done
  // Any other number: report, and give away up to that number of parts less one.

  // In the worker.
  class line {
   public:
    line(int in, int out, std::atomic<std::uint32_t>& asked) : in_(in), out_(out), asked_(asked) {}
    [[nodiscard]] std::optional<std::string> take() const;  // an item; none: there will be no more
    [[nodiscard]] std::uint32_t asked() const { return asked_.load(std::memory_order_relaxed); }
    void send(const graph_report& report) const;

   private:
    int in_, out_;
    std::atomic<std::uint32_t>& asked_;
  };

  // Forks `jobs` processes, which inherit all there is, and run `work`.
  graph_workers(unsigned jobs, std::function<void(const line&)> work);
  graph_workers(const graph_workers&) = delete;
  graph_workers& operator=(const graph_workers&) = delete;
  ~graph_workers();  // ends them

  [[nodiscard]] unsigned size() const { return static_cast<unsigned>(processes_.size()); }
  void give(unsigned worker, const std::string& item);  // to one that is done with the former
  void renew(unsigned worker);  // by a process that inherits what there is now
  void ask(unsigned worker, std::uint32_t what) { asked_[worker].store(what, std::memory_order_relaxed); }
  // The first of them that has something to say; none within the time: size().
  [[nodiscard]] unsigned wait(int timeout_ms) const;
  // Its report; `report` is empty before. Throws std::runtime_error if it has died.
  void receive(unsigned worker, graph_report& report);

 private:
  struct process {
    pid_t id;
    int in, out;
  };
  [[nodiscard]] process start(unsigned worker);
  static void end(const process& one);

  std::function<void(const line&)> work_;
  std::atomic<std::uint32_t>* asked_;  // shared with the processes
  std::size_t asked_bytes_;
  std::vector<process> processes_;
};

}  // namespace kvrace::detail
