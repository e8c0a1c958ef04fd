// What identifies a block: the bytes of everything its K and V rows depend on.
//
// The key of a block is its parent's key followed by the block's own tokens; the first block's parent is the identity, every
// field of it typed and framed by its length, so that no two different prompts encode equally. A prompt of full blocks
// b0 b1 b2 is therefore one run of bytes, and the key of each block is a prefix of it:
//
//     identity | tokens of b0 | tokens of b1 | tokens of b2
//     '--- key of b0 --------'
//     '--- key of b1 -------------------------'
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include <kvrace/cache/prompt.h>
#include <kvrace/cache/reused_array.h>

namespace kvrace::cache {

// One block's key inside the bytes of its prompt, and the hash it is indexed by.
struct key_span {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::uint64_t hash = 0;
};

using key_view = std::span<const std::byte>;
[[nodiscard]] bool equal(key_view, key_view);

// The same for every platform and build. Not for adversaries: a cache compares keys in full on a hit.
[[nodiscard]] std::uint64_t hash_bytes(std::uint64_t seed, key_view bytes);
// What one multiplication leaves of a hash, mixed well.
inline constexpr std::uint64_t hash_multiplier = 0x9e3779b97f4a7c15;
[[nodiscard]] inline std::uint64_t hash_mixed(std::uint64_t value) {
  value ^= value >> 32U;
  value *= 0xd6e8feb86659fd93;
  value ^= value >> 32U;
  return value;
}
// One multiplication a value: for equality, or to be mixed well once at the end.
[[nodiscard]] inline std::uint64_t hash_absorbed(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * hash_multiplier;
  return hash ^ hash >> 32U;
}

// Writes fields one behind the other. The caller has made room.
class byte_writer {
 public:
  explicit byte_writer(std::byte* out) : begin_(out), next_(out) {}
  void byte(char value) { *next_++ = static_cast<std::byte>(value); }
  void number(std::uint32_t value) {
    if constexpr (std::endian::native == std::endian::little) {
      std::memcpy(next_, &value, sizeof value);
    } else {
      for (unsigned i = 0; i < 4; ++i) next_[i] = static_cast<std::byte>(value >> (8 * i));
    }
    next_ += sizeof value;
  }
  void text(std::string_view value) {
    if (value.size() == 1) {
      *next_ = static_cast<std::byte>(value.front());
    } else if (!value.empty()) {
      std::memcpy(next_, value.data(), value.size());
    }
    next_ += value.size();
  }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(next_ - begin_); }

 private:
  std::byte* begin_;
  std::byte* next_;
};

// The identity's bytes in front of every key: type, length and content of each field.
void write_identity(byte_writer&, const identity&);
[[nodiscard]] std::size_t identity_bytes_max(const identity&);

// Appends the tokens of every full block to the parent's bytes already written, and gives each block its key. `blocks` has
// room for every full block.
void write_chain(byte_writer&, const std::byte* begin, const prompt&, std::uint32_t tokens_per_block, key_span* blocks);

[[nodiscard]] inline std::size_t full_blocks(const prompt& prompt, std::uint32_t tokens_per_block) {
  return prompt.tokens.size() / tokens_per_block;
}

// The keys of a prompt's full blocks.
template <class Sync>
class key_list {
 public:
  template <class Policy>
  void assign(const Policy& policy, const prompt& prompt, std::uint32_t tokens_per_block) {
    blocks_.resize(full_blocks(prompt, tokens_per_block));
    bytes_.resize(policy.bytes_max(prompt, tokens_per_block));
    policy.encode(prompt, tokens_per_block, bytes_.data(), blocks_.data());
  }
  [[nodiscard]] std::size_t size() const { return blocks_.size(); }
  [[nodiscard]] std::uint64_t hash(std::size_t block) const { return blocks_[block].hash; }
  [[nodiscard]] key_view operator[](std::size_t block) const {
    return {bytes_.data() + blocks_[block].begin, bytes_.data() + blocks_[block].end};
  }

 private:
  reused_array<std::byte, typename Sync::template allocator<std::byte>> bytes_;
  reused_array<key_span, typename Sync::template allocator<key_span>> blocks_;
};

// A key that outlives the prompt it came from.
template <class Sync>
using key_bytes = std::vector<std::byte, typename Sync::template allocator<std::byte>>;

}  // namespace kvrace::cache
