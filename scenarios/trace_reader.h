// Recorded traffic, request by request out of a stream. Two formats, told apart by how they begin:
//
// JSON lines, as the traces of Mooncake (FAST '25): an object a line, with `timestamp` in milliseconds, `input_length`,
// `output_length`, and in `hash_ids` one name for each block of the prompt. Blocks with equal names have equal content before
// their end; the last one may be partial. Other members are passed over, and counted.
//
// CSV, as the LLM inference traces of Azure (2023, 2024): TIMESTAMP,ContextTokens,GeneratedTokens, with times as
// "2023-11-16 18:17:03.9799600", with or without an offset from UTC. There is nothing in it about what a prompt holds.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reports/input_error.h"
#include "scenarios/line_reader.h"

namespace kvrace::scenarios {

// Longer lines are refused: with blocks of 512 tokens, this holds prompts of tens of millions of tokens.
inline constexpr std::size_t trace_line_bytes_max = std::size_t{1} << 20;

struct trace_request {
  std::chrono::nanoseconds time{};  // since the first request
  std::uint32_t input_tokens = 0;
  std::uint32_t output_tokens = 0;
  std::vector<std::uint32_t> blocks;  // one for each begun block; none in CSV
};

enum class trace_format : std::uint8_t { json_lines, csv };

// What has been read so far.
struct trace_facts {
  trace_format format = trace_format::json_lines;
  std::uint64_t requests = 0;
  std::uint64_t blocks = 0;       // named ones
  std::uint64_t blocks_full = 0;  // of them
  std::uint64_t input_tokens = 0;
  std::uint64_t output_tokens = 0;
  std::uint64_t digest = 0;           // FNV-1a, 64 bits, over the lines that were read
  std::chrono::nanoseconds length{};  // from the first request to the last
  std::uint64_t ticks = 0;            // different times
  // What was put right or passed over.
  std::uint64_t lines_blank = 0;
  std::uint64_t lines_crlf = 0;       // ended by CR LF
  std::uint64_t members_ignored = 0;  // JSON lines: those without a meaning here
  bool last_line_open = false;        // it has no line break; complete as far as can be told
};

// "blank lines passed over: 3": what was not taken as it stands.
[[nodiscard]] std::vector<std::string> repairs_of(const trace_facts& facts);

class trace_reader {
 public:
  trace_reader(byte_source source, std::uint32_t tokens_per_block);

  // False at the end, or where something is wrong. Reuses the memory of `to`.
  bool next(trace_request& to);
  [[nodiscard]] const std::optional<input_error>& error() const { return error_; }
  [[nodiscard]] const trace_facts& facts() const { return facts_; }
  // Of the request that was read last, from 1.
  [[nodiscard]] std::uint64_t line() const { return lines_.number(); }

 private:
  std::optional<std::string_view> next_line();
  bool begin(std::string_view line);
  bool fail(const std::string& where, std::string expected);
  bool accept(trace_request& to, std::chrono::nanoseconds time);

  line_reader lines_;
  std::uint32_t tokens_per_block_;
  trace_facts facts_;
  std::chrono::nanoseconds first_{};
  std::chrono::nanoseconds last_{};
  bool begun_ = false;
  std::optional<input_error> error_;
};

}  // namespace kvrace::scenarios
