// B22, a fence that makes preemption free nothing.
// Blocks of a preempted request are given back once the step in flight has ended. An allocation that fails preempts one request
// after the other without waiting for that, until nobody runs.
#include "corpus/models/models.h"

namespace kvrace::corpus {

namespace {

struct device {
  mutex lock;
  condition_variable preempted, step_ended;
  int free = 0;  // blocks; guarded by lock, as the rest
  int parked = 0;
  int running = 3;  // requests with a block each
};

template <bool Repaired>
void body(run& run) {
  device device;
  run.spawn("scheduler", [&] {
    unique_lock guard(device.lock);
    while (device.free == 0 && device.running > 0) {
      --device.running;
      ++device.parked;
      device.preempted.notify_all();
      if (Repaired) {
        while (device.free == 0) device.step_ended.wait(guard);
      } else {
        guard.unlock();
        guard.lock();
      }
    }
    hold(run, device.running > 0, "liveness", "every request was preempted for one block");
  });
  run.spawn("device", [&] {
    unique_lock guard(device.lock);
    while (device.parked == 0 && device.running > 0) device.preempted.wait(guard);
    device.free += device.parked;
    device.parked = 0;
    device.step_ended.notify_all();
  });
  run.join_all();
}

}  // namespace

const bug b22{.id = "B22",
              .title = "a fence that makes preemption free nothing",
              .reports = "vllm #49674, vllm-ascend #16315",
              .oracle = "liveness",
              .flawed = body<false>,
              .repaired = body<true>};

}  // namespace kvrace::corpus
