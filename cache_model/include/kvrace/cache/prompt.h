// What a request asks for: a sequence of tokens, and whose.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace kvrace::cache {

using token = std::uint32_t;

// Everything the K and V rows of a token depend on beside the tokens before it. Two requests may share a block only if all of
// it is equal.
struct identity {
  std::string model;
  std::string adapter;
  std::uint32_t adapter_version = 0;
  std::string tenant;  // cache salt
  friend bool operator==(const identity&, const identity&) = default;
};

// How much it matters that a request finds its content cached, in a cache that reserves a share for it.
enum class priority_class : std::uint8_t { low, high };

// Of a prompt that came as text.
struct input_facts {
  std::string text;                 // as it was decoded, without errors; for reports
  std::uint32_t triggers = 0;       // matches of the sanitiser's patterns
  std::uint32_t triggers_left = 0;  // of them, those that became tokens all the same
  std::uint32_t replaced = 0;       // U+FFFD in the place of bytes that are no UTF-8
  std::uint32_t clusters_cut = 0;   // characters too long to be one token
};

struct prompt {
  identity owner;
  std::vector<token> tokens;
  priority_class priority = priority_class::low;  // no part of the key: content is shared between classes
  // As many tokens, which differ from `tokens` where the input pipeline has mangled what the client sent. Null: it has not.
  std::shared_ptr<const prompt> meant = {};
  std::shared_ptr<const input_facts> input = {};  // null: it came as tokens
};

// What the answer to it depends on.
[[nodiscard]] inline const prompt& meaning_of(const prompt& sent) { return sent.meant ? *sent.meant : sent; }

}  // namespace kvrace::cache
