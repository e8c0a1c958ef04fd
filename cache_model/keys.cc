#include <kvrace/cache/keys.h>

#include <cstring>

#include <kvrace/cache/seams.h>

namespace kvrace::cache {

namespace {

// The same on machines of either byte order.
std::uint64_t word_at(const std::byte* bytes) {
  std::uint64_t word = 0;
  if constexpr (std::endian::native == std::endian::little) {
    std::memcpy(&word, bytes, sizeof word);
  } else {
    for (unsigned i = 0; i < 8; ++i) word |= static_cast<std::uint64_t>(bytes[i]) << (8 * i);
  }
  return word;
}

// Fewer than eight bytes, without a loop: where the parts overlap they agree.
std::uint64_t short_word_at(const std::byte* bytes, std::size_t count) {
  const auto part = [bytes](std::size_t at) { return static_cast<std::uint64_t>(bytes[at]) << (8 * at); };
  if constexpr (std::endian::native == std::endian::little) {
    if (count >= 4) {
      std::uint32_t first = 0;
      std::uint32_t last = 0;
      std::memcpy(&first, bytes, sizeof first);
      std::memcpy(&last, bytes + count - sizeof last, sizeof last);
      return first | static_cast<std::uint64_t>(last) << (8 * (count - sizeof last));
    }
    return count == 0 ? 0 : part(0) | part(count / 2) | part(count - 1);
  }
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < count; ++i) word |= part(i);
  return word;
}

void write_field(byte_writer& out, char type, std::string_view value) {
  out.byte(type);
  out.number(static_cast<std::uint32_t>(value.size()));
  out.text(value);
}

}  // namespace

bool equal(key_view a, key_view b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0);
}

std::uint64_t hash_bytes(std::uint64_t seed, key_view bytes) {
  std::uint64_t hash = (seed ^ bytes.size()) * hash_multiplier;
  const std::byte* next = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 8; next += 8, left -= 8) hash = hash_absorbed(hash, word_at(next));
  return hash_mixed((hash ^ short_word_at(next, left)) * hash_multiplier);
}

void write_identity(byte_writer& out, const identity& identity) {
  write_field(out, 'm', identity.model);
  write_field(out, 'a', identity.adapter);
  out.byte('v');
  out.number(identity.adapter_version);
  write_field(out, 't', identity.tenant);
  out.byte('#');
}

std::size_t identity_bytes_max(const identity& identity) {
  return identity.model.size() + identity.adapter.size() + identity.tenant.size() + 32;
}

void write_chain(byte_writer& out, const std::byte* begin, const prompt& prompt, std::uint32_t tokens_per_block,
                 key_span* blocks) {
  const std::size_t count = full_blocks(prompt, tokens_per_block);
  std::uint64_t parent = hash_bytes(0, {begin, out.size()});
  std::size_t next = 0;
  for (std::size_t block = 0; block < count; ++block) {
    for (std::uint32_t i = 0; i < tokens_per_block; ++i, ++next) {
      out.number(prompt.tokens[next]);
      parent = hash_absorbed(parent, prompt.tokens[next]);
    }
    blocks[block] = {0, out.size(), hash_mixed(parent)};
  }
}

std::size_t key_policy::bytes_max(const prompt& prompt, std::uint32_t) const {
  return identity_bytes_max(prompt.owner) + prompt.tokens.size() * sizeof(token);
}

void key_policy::encode(const prompt& prompt, std::uint32_t tokens_per_block, std::byte* bytes, key_span* blocks) const {
  byte_writer out(bytes);
  write_identity(out, prompt.owner);
  write_chain(out, bytes, prompt, tokens_per_block, blocks);
}

seams::seams() {
  static const key_policy key_repaired{};
  static const match_policy match_repaired{};
  static const tail_policy tail_repaired{};
  static const pin_policy pin_repaired{};
  static const recency_policy recency_repaired{};
  static const eviction_policy eviction_repaired{};
  static const publish_policy publish_repaired{};
  static const reference_policy reference_repaired{};
  static const free_list_policy free_list_repaired{};
  static const reclamation_policy reclamation_repaired{};
  static const lease_policy lease_repaired{};
  static const invalidation_policy invalidation_repaired{};
  static const statistics_policy statistics_repaired{};
  static const waiter_policy waiter_repaired{};
  static const connection_policy connection_repaired{};
  static const record_policy record_repaired{};
  static const preemption_policy preemption_repaired{};
  static const notification_policy notification_repaired{};
  static const promise_policy promise_repaired{};
  static const compression_policy compression_repaired{};
  static const isolation_policy isolation_repaired{};
  static const input_policy input_repaired{};
  static const sanitation_policy sanitation_repaired{};
  static const rollback_policy rollback_repaired{};
  key = &key_repaired;
  match = &match_repaired;
  tail = &tail_repaired;
  pin = &pin_repaired;
  recency = &recency_repaired;
  eviction = &eviction_repaired;
  publish = &publish_repaired;
  reference = &reference_repaired;
  free_list = &free_list_repaired;
  reclamation = &reclamation_repaired;
  lease = &lease_repaired;
  invalidation = &invalidation_repaired;
  statistics = &statistics_repaired;
  waiter = &waiter_repaired;
  connection = &connection_repaired;
  record = &record_repaired;
  preemption = &preemption_repaired;
  notification = &notification_repaired;
  promise = &promise_repaired;
  compression = &compression_repaired;
  isolation = &isolation_repaired;
  input = &input_repaired;
  sanitation = &sanitation_repaired;
  rollback = &rollback_repaired;
}

}  // namespace kvrace::cache
