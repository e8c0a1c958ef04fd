// Certificates of proofs by execution graphs: what they say, what changes them and what does not.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <kvrace/kvrace.h>

#include "proof/graph_sample.h"
#include "test_support.h"

using namespace kvrace::testing;
using kvrace::atomic;
using kvrace::memory_model;

namespace {

constexpr auto release = std::memory_order_release;
constexpr auto relaxed = std::memory_order_relaxed;

kvrace::graph_certificate certificate(const kvrace::program& tested, kvrace::prove_options options = {}) {
  options.engine = kvrace::proof_engine::graphs;
  const kvrace::result found = kvrace::prove(options, tested);
  INFO(found);
  REQUIRE(found.certificate);
  return *found.certificate;
}

// Two tasks that store `value` and then load what the other stores.
kvrace::program buffering(int value, std::memory_order order = release) {
  return [=](kvrace::run& run) {
    std::array<atomic<int>, 2> at{};
    for (const std::size_t mine : {0U, 1U})
      run.spawn("task", [&at, mine, value, order] {
        at[mine].store(value, order);
        (void)at[1 - mine].load();
      });
    run.join_all();
  };
}

}  // namespace

TEST_CASE("a certificate repeats the bounds and counts of its proof, and no graph is met twice") {
  kvrace::prove_options options{.memory_model = memory_model::rc11};
  options.limits.steps_max = 77;
  const kvrace::graph_certificate made = certificate(buffering(1), options);
  CHECK(made.memory_model == memory_model::rc11);
  CHECK(made.steps_max == 77);
  CHECK(made.complete == 4);
  CHECK(made.blocked == 0);
  CHECK(made.duplicates == 0);
  CHECK(made.compared == 4);
  CHECK(digest_text(made).size() == 32);
}

TEST_CASE("the same proof has the same digest, another program, model or bound another") {
  std::vector<std::string> digests;
  const auto add = [&digests](const kvrace::program& tested, const kvrace::prove_options& options = {}) {
    const std::string digest = digest_text(certificate(tested, options));
    CHECK(digest_text(certificate(tested, options)) == digest);
    digests.push_back(digest);
  };
  add(buffering(1));
  add(buffering(2));
  add(buffering(1, relaxed));
  add(buffering(1), {.memory_model = memory_model::rc11});
  kvrace::prove_options shorter;
  shorter.limits.steps_max = 1'000;
  add(buffering(1), shorter);
  add([](kvrace::run& run) {
    buffering(1)(run);
    (void)run.pick(0, 1);
  });
  std::sort(digests.begin(), digests.end());
  CHECK(std::adjacent_find(digests.begin(), digests.end()) == digests.end());
}

TEST_CASE("addresses are no part of a digest") {
  const auto hand_over = [](std::size_t padding) {
    return [padding](kvrace::run& run) {
      const std::vector<int> some(padding, 1);
      auto* one = kvrace::sync::make<int>(1);
      atomic<const int*> handed(nullptr);
      both(run, [&] { handed.store(one, release); }, [&] { (void)handed.load(std::memory_order_acquire); });
      kvrace::sync::destroy(one);
    };
  };
  CHECK(certificate(hand_over(0)) == certificate(hand_over(1'000)));
}

TEST_CASE("a sample of keys is the same in any order, knows what it meets again, and does not grow") {
  constexpr std::uint64_t keys = 10'000;
  const auto key = [](std::uint64_t i) { return (i + 1) * 0x9e3779b97f4a7c15U; };
  kvrace::detail::graph_sample forward(64);
  kvrace::detail::graph_sample backward(64);
  for (std::uint64_t i = 0; i < keys; ++i) {
    forward.insert(key(i));
    backward.insert(key(keys - 1 - i));
  }
  CHECK(forward.size() == backward.size());
  CHECK(forward.size() <= 64);
  CHECK(forward.size() > 16);
  CHECK_FALSE(forward.is_whole());
  CHECK(forward.duplicates() == 0);
  for (std::uint64_t i = 0; i < keys; ++i) forward.insert(key(i));
  CHECK(forward.duplicates() == forward.size());
}
