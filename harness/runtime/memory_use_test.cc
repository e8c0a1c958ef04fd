#include "runtime/memory_use.h"

#include <unistd.h>

#include <catch2/catch.hpp>

#include <cstddef>
#include <vector>

#include <kvrace/kvrace.h>

#include "runtime/forked.h"
#include "runtime/pipes.h"

namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20U;

// More executions than could be explored in hours.
void endless(kvrace::run& run) {
  kvrace::mutex lock;
  for (int task = 0; task < 6; ++task)
    run.spawn("task", [&] {
      for (int i = 0; i < 8; ++i) const kvrace::lock_guard guard(lock);
    });
  run.join_all();
}

// Memory that is there although nobody reads it.
std::vector<std::byte> touch(std::size_t bytes) {
  std::vector<std::byte> touched(bytes, std::byte{1});
  asm volatile("" : : "r"(touched.data()) : "memory");
  return touched;
}

}  // namespace

TEST_CASE("Memory in use is what this process and those it forked have touched, shared pages once") {
  const std::uint64_t before = kvrace::detail::memory_in_use_bytes();
  REQUIRE(before > 0);
  const std::vector<std::byte> touched = touch(64 * mebibyte);
  const std::uint64_t with_own = kvrace::detail::memory_in_use_bytes();
  CHECK(with_own > before + 60 * mebibyte);
  const kvrace::detail::forked_processes others(2, [&](unsigned, int pipe) {
    const std::vector<std::byte> more = touch(64 * mebibyte);
    (void)kvrace::detail::send_bytes(pipe, more.data(), 1);
    for (;;) ::pause();
  });
  std::byte said{};
  for (unsigned job = 0; job < 2; ++job) REQUIRE(kvrace::detail::receive_bytes(others.pipe_of(job), &said, 1));
  const std::uint64_t with_others = kvrace::detail::memory_in_use_bytes();
  CHECK(with_others > with_own + 120 * mebibyte);
  CHECK(with_others < with_own + 180 * mebibyte);  // `touched` is theirs as well
}

TEST_CASE("A budget of memory ends a proof as interrupted, by either engine and any number of processes") {
  for (const kvrace::proof_engine engine : {kvrace::proof_engine::interleavings, kvrace::proof_engine::graphs})
    for (const unsigned jobs : {1U, 2U}) {
      const kvrace::result found = kvrace::prove({.engine = engine, .memory_bytes_max = 1, .jobs = jobs}, endless);
      INFO(found);
      CHECK(found.verdict == kvrace::verdict::incomplete);
      CHECK(found.interrupted);
      CHECK(found.counts.runs > 0);
    }
}
