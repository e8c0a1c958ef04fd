// For each flaw, a program that shows it.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "cache_model/mutants/programs.h"

namespace kvrace::cache::programs {

struct showcase {
  std::string flaw;
  std::vector<calls> tasks = {};
  std::uint32_t hash_bits = 64;
  std::uint32_t capacity = 2;
  std::uint64_t runs = 1'000;  // enough for any seed
  strategy_choice strategy = random_walk(0.3);
  std::chrono::nanoseconds lease = {};
  std::uint32_t tokens_per_block = 1;
  kvrace::limits limits = {};
  std::uint32_t eviction_feed = 0;
  compression_options compression = {};
  std::uint32_t reserved_blocks = 0;
  // Prompts given as text, in place of tasks: each is served and then looked up by a task of its own.
  std::vector<std::string> texts = {};
  std::uint32_t input_chunk_bytes = 4'096;
  bool rolls_out = false;  // all requests are a candidate's
};

[[nodiscard]] std::vector<showcase> showcases();
// With the flaw, or its repaired twin.
[[nodiscard]] program_under_test program_of(const showcase&, const std::string& locking, bool flawed);

}  // namespace kvrace::cache::programs
