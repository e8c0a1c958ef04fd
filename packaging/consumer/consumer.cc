// Proves a counter and finds the race in its twin, and serves a prompt from the cache model, all from installed headers.
#include <cstdio>

#include <kvrace/cache/simulation.h>
#include <kvrace/kvrace.h>
#include <kvrace/version.h>

namespace {

kvrace::result prove_counter(bool guarded) {
  return kvrace::prove({.memory_model = kvrace::memory_model::rc11}, [guarded](kvrace::run& run) {
    kvrace::mutex lock;
    kvrace::var<int> count{0};
    for (int task = 0; task < 2; ++task)
      run.spawn("client", [&] {
        if (guarded) lock.lock();
        count = count + 1;
        if (guarded) lock.unlock();
      });
    run.join_all();
    run.require(count == 2, "a count was lost");
  });
}

kvrace::result serve_twice() {
  return kvrace::check({.runs = 10, .metrics = kvrace::cache::metric_names()}, [](kvrace::run& run) {
    const auto simulation = kvrace::cache::make_simulation(run, {});
    kvrace::cache::prompt prompt;
    prompt.tokens = {1, 2, 3, 4, 5};
    for (int task = 0; task < 2; ++task) run.spawn("client", [&] { simulation->serve(prompt); });
    run.join_all();
    simulation->finish();
  });
}

}  // namespace

int main() {
  const kvrace::result proved = prove_counter(true);
  const kvrace::result refuted = prove_counter(false);
  std::printf("kvrace %s: %s, %s, %s\n", KVRACE_VERSION_STRING, to_string(proved.verdict), to_string(refuted.verdict),
              to_string(serve_twice().verdict));
  return proved.verdict == kvrace::verdict::proved && refuted.verdict == kvrace::verdict::violation ? 0 : 1;
}
