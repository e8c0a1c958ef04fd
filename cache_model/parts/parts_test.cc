// What stands beside the cache, in production and under control.
#include <catch2/catch.hpp>

#include <functional>
#include <string>
#include <vector>

#include <kvrace/cache/simulation.h>
#include <kvrace/check.h>
#include <kvrace/std_sync.h>
#include <kvrace/sync.h>

#include "cache_model/parts/buffered_cache.h"
#include "cache_model/parts/connection_pool.h"
#include "cache_model/parts/eviction_feed.h"
#include "cache_model/parts/preempting_batch.h"
#include "cache_model/parts/read_through.h"

namespace kvrace::cache {
namespace {

using call = std::function<void(parts&)>;

const std::vector<std::string> keys = {"a", "b"};

result explore(const std::string& flaw, const std::vector<std::vector<call>>& tasks, const kvrace::limits& limits = {},
               const std::vector<std::string>& oracles_off = {}, std::uint32_t capacity = 2) {
  simulation_options options;
  options.oracles_off = oracles_off;
  options.parts = {.keys = keys, .read_through = true, .connections = true, .buffered = true, .batch = true};
  if (!flaw.empty()) options.configuration.flaws = {flaw};
  options.configuration.capacity_blocks = capacity;
  return prove({.limits = limits, .metrics = metric_names()}, [&](run& run) {
    const auto simulation = make_simulation(run, options);
    for (const std::vector<call>& task : tasks)
      run.spawn("client", [&task, parts = &simulation->parts()] {
        for (const call& each : task) each(*parts);
      });
    run.join_all();
    simulation->finish();
  });
}
std::string oracle_of(const result& found) {
  return found.findings.empty() ? to_string(found.verdict) : found.findings.front().oracle;
}

const call put_a = [](parts& p) { p.put(0); };
const call put_b = [](parts& p) { p.put(1); };
const call maintain = [](parts& p) { p.maintain(); };
const call admit = [](parts& p) { p.admit(); };
const call device_step = [](parts& p) { p.device_step(); };
const call load = [](parts& p) { p.load(0); };
const call update = [](parts& p) { p.update(0); };
const call fetch_a = [](parts& p) { p.fetch(0); };
const call fetch_b = [](parts& p) { p.fetch(1); };

struct counting_listener final : read_through_listener {
  int loads = 0;
  void load_begins(std::uint32_t, std::uint32_t) override { ++loads; }
  void load_ends(std::uint32_t, std::uint32_t) override {}
  void update_reads(std::uint32_t, std::uint32_t, std::uint64_t) override {}
  void update_writes(std::uint32_t, std::uint32_t, std::uint64_t) override {}
};

TEST_CASE("A value is computed once, and updates add up, in production") {
  const waiter_policy repaired;
  counting_listener listener;
  read_through<std_sync> values(2, repaired, listener);
  CHECK(values.load(0, 1) == 0);
  CHECK(values.load(0, 2) == 0);
  CHECK(listener.loads == 1);
  CHECK(values.update(0, 3) == 1);
  CHECK(values.update(0, 4) == 2);
  CHECK(values.load(0, 5) == 2);
  CHECK(values.update(1, 6) == 1);
  CHECK(listener.loads == 1);
}

TEST_CASE("Values are computed once and updates add up in every interleaving") {
  CHECK(oracle_of(explore("", {{load, load}, {load}, {load}})) == "PROVED");
  CHECK(oracle_of(explore("", {{update, load}, {update, update}})) == "PROVED");
}

TEST_CASE("Waiters that are let go early lose updates and load twice") {
  const result lost = explore("waiter_removed_early", {{update}, {update}});
  REQUIRE(oracle_of(lost) == "lost_update");
  CHECK(lost.findings.front().message == "request 2 wrote 1 to key 'a', having read 0: the update by request 1 to 1 is lost");
  const result twice = explore("waiter_removed_early", {{load}, {load}});
  REQUIRE(oracle_of(twice) == "duplicate_load");
  CHECK(twice.findings.front().message == "request 1 computes the value of key 'a' while request 2 is computing it");
}

TEST_CASE("A leader that does not look again loads what is there") {
  const result twice = explore("leader_without_recheck", {{load}, {load}});
  REQUIRE(oracle_of(twice) == "duplicate_load");
  CHECK(twice.findings.front().message == "request 1 computes the value of key 'a', which is there");
  CHECK(oracle_of(explore("leader_without_recheck", {{update}, {update}})) == "PROVED");
}

TEST_CASE("Loads are not judged where duplicates are declared legal") {
  CHECK(oracle_of(explore("leader_without_recheck", {{load}, {load}}, {}, {"duplicate_load"})) == "PROVED");
}

struct deaf_listener final : connection_listener {
  void asked(std::uint32_t, const answer&) override {}
  void answered(std::uint32_t, const answer&, const answer&) override {}
  void closed(std::uint32_t, std::uint32_t) override { ++closed_ones; }
  void given_back(std::uint32_t, std::uint32_t) override {}
  int closed_ones = 0;
};

// Fetches keys 1, 2, 3, ... one after the other, of which `cancelled` gives up where it waits for the `point`th time. Returns the
// keys of what is received.
std::vector<std::uint32_t> received(const connection_policy& policy, std::uint32_t cancelled, int point, int* closed) {
  deaf_listener listener;
  connection_pool<std_sync> pool(1, policy, listener);
  std::vector<std::uint32_t> all;
  for (std::uint32_t key = 1; key <= 3; ++key) {
    int waits = 0;
    try {
      all.push_back(pool.fetch({key, key},
                               [&] {
                                 if (key == cancelled && ++waits == point) throw 0;
                               })
                        .key);
    } catch (int) {
    }
  }
  *closed = listener.closed_ones;
  return all;
}

TEST_CASE("A connection is closed exactly if its answer was not received") {
  const connection_policy repaired;
  int closed = 0;
  CHECK(received(repaired, 0, 0, &closed) == std::vector<std::uint32_t>{1, 2, 3});
  CHECK(closed == 0);
  CHECK(received(repaired, 2, 1, &closed) == std::vector<std::uint32_t>{1, 3});
  CHECK(closed == 0);
  CHECK(received(repaired, 2, 2, &closed) == std::vector<std::uint32_t>{1, 3});
  CHECK(closed == 1);
}

TEST_CASE("An answer that is left behind is received by the next, and everybody is off by one") {
  struct : connection_policy {
    bool closes_unanswered() const override { return false; }
  } const flawed;
  int closed = 0;
  CHECK(received(flawed, 1, 2, &closed) == std::vector<std::uint32_t>{1, 2});
  CHECK(closed == 0);
}

TEST_CASE("Whoever is cancelled, wherever it waits, nobody receives another's answer") {
  const kvrace::limits cancelling{.faults = {.cancellations = 1}};
  const std::vector<std::vector<call>> tasks = {{fetch_a, fetch_a}, {fetch_b}};
  CHECK(oracle_of(explore("", tasks, cancelling)) == "PROVED");
  CHECK(oracle_of(explore("reply_left_behind", tasks)) == "PROVED");
  const result mixed_up = explore("reply_left_behind", tasks, cancelling);
  REQUIRE(oracle_of(mixed_up) == "correlation");
  CHECK(mixed_up.findings.front().subject == "connection 0");
  CHECK(mixed_up.findings.front().message.find("received over connection 0 the answer to request ") != std::string::npos);
}

struct quiet_housekeeping final : buffered_cache_listener {
  std::vector<std::uint32_t> evicted;
  void entry_inserted(const map_entry&) override {}
  void entry_evicted(const map_entry& which) override { evicted.push_back(which.key); }
  void node_added(const map_entry&) override {}
  void node_removed(const map_entry&) override {}
  void eviction_ended() override {}
};

TEST_CASE("The housekeeper evicts what was written least recently, in production") {
  const record_policy repaired;
  quiet_housekeeping listener;
  buffered_cache<std_sync> cache(4, 2, repaired, listener);
  for (const std::uint32_t key : {0U, 1U, 0U, 2U}) cache.put(key);
  CHECK(cache.resident() == 3);
  cache.maintain();
  CHECK(cache.resident() == 2);
  CHECK(listener.evicted == std::vector<std::uint32_t>{1});
  cache.put(3);
  cache.maintain();
  CHECK(listener.evicted == std::vector<std::uint32_t>{1, 0});
  cache.for_each_orphan([](const map_entry&) { FAIL("an orphan"); });
}

TEST_CASE("A record that is drained after its entry was evicted leaves no node") {
  const std::vector<std::vector<call>> tasks = {{put_a, put_b, put_a}, {maintain, maintain}};
  CHECK(oracle_of(explore("", tasks, {}, {}, 1)) == "PROVED");
  const result orphan = explore("orphan_node", tasks, {}, {}, 1);
  REQUIRE(oracle_of(orphan) == "ghost_entry");
  CHECK(orphan.findings.front().message == "the eviction order has a node for key 'a', instance 1, whose entry has been evicted");
}

TEST_CASE("An orphan node ends all evictions") {
  const std::vector<std::vector<call>> tasks = {{put_a, put_b, put_a, put_a, put_b}, {maintain, maintain}};
  const result stuck = explore("orphan_node", tasks, {}, {"ghost_entry", "capacity"}, 1);
  REQUIRE(oracle_of(stuck) == "liveness");
  CHECK(stuck.findings.front().message.find("nothing more is evicted while there are 2 entries for a capacity of 1") == 0);
  CHECK(oracle_of(explore("orphan_node", tasks, {}, {"ghost_entry", "liveness"}, 1)) == "capacity");
}

struct batch_log final : batch_listener {
  std::string text;
  void admitted(std::uint32_t request) override { text += "+" + std::to_string(request); }
  void preempted(std::uint32_t request, std::uint32_t, bool parked) override {
    text += (parked ? "p" : "-") + std::to_string(request);
  }
  void step_begins() override {}
  void step_ends() override { text += "|"; }
};

TEST_CASE("A request takes a free block, or that of the request that came last, in production") {
  const preemption_policy repaired;
  batch_log log;
  preempting_batch<std_sync> batch(2, repaired, log);
  for (const std::uint32_t request : {1U, 2U, 3U}) batch.admit(request);
  batch.step();
  batch.admit(4);
  CHECK(log.text == "+1+2-2+3|-3+4");
}

TEST_CASE("One request is sent away for one block, whatever the device does") {
  const std::vector<std::vector<call>> tasks = {{admit, admit, admit}, {device_step, device_step}};
  CHECK(oracle_of(explore("", tasks)) == "PROVED");
  CHECK(oracle_of(explore("", {{admit, admit}, {admit, admit}, {device_step}})) == "PROVED");
  const result stampede = explore("fence_without_progress", tasks);
  REQUIRE(oracle_of(stampede) == "liveness");
  CHECK(stampede.findings.front().subject == "request 3");
  CHECK(stampede.findings.front().message ==
        "request 3 sends request 1 away for a block, although that of request 2, which it has sent away, is still to come");
}

TEST_CASE("Evictions are followed in the order in which they were announced") {
  const notification_policy repaired;
  eviction_feed<std_sync> feed(2, repaired);
  feed.announce({nullptr, 1});
  feed.announce({nullptr, 2});
  std::vector<std::uint32_t> followed;
  const auto follow = [&](const evicted_content& what) { followed.push_back(what.slot); };
  feed.follow(follow);
  feed.announce({nullptr, 3});
  feed.follow(follow);
  feed.follow(follow);
  CHECK(followed == std::vector<std::uint32_t>{1, 2, 3});
}

}  // namespace
}  // namespace kvrace::cache
