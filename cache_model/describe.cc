#include "cache_model/describe.h"

#include <algorithm>

namespace kvrace::cache {

namespace {

constexpr std::size_t shown_max = 24;

bool printable(token token) { return token > 0x20 && token < 0x7f; }

// Text, or its beginning up to a whole character.
std::string quoted(const std::string& text) {
  constexpr std::size_t bytes_max = 64;
  if (text.size() <= bytes_max) return "'" + text + "'";
  std::size_t end = bytes_max;
  while ((static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80) --end;
  return "'" + text.substr(0, end) + "...'";
}

}  // namespace

std::string describe(const identity& identity) {
  std::string text = identity.model;
  if (!identity.adapter.empty() || identity.adapter_version != 0) text += "/" + identity.adapter;
  if (identity.adapter_version != 0) text += "@" + std::to_string(identity.adapter_version);
  if (!identity.tenant.empty()) text += " tenant " + identity.tenant;
  return text;
}

std::string describe(const prompt& prompt, std::size_t tokens) {
  std::string text = describe(prompt.owner) + ", ";
  const std::size_t count = std::min(tokens, prompt.tokens.size());
  if (prompt.input)
    return text + quoted(prompt.input->text) +
           (count < prompt.tokens.size()
                ? ", first " + std::to_string(count) + " of " + std::to_string(prompt.tokens.size()) + " tokens"
                : "");
  const std::size_t shown = std::min(count, shown_max);
  const auto end = prompt.tokens.begin() + static_cast<std::ptrdiff_t>(shown);
  if (count != 0 && std::all_of(prompt.tokens.begin(), end, printable)) {
    std::for_each(prompt.tokens.begin(), end, [&text](token each) { text += static_cast<char>(each); });
  } else {
    text += '[';
    for (std::size_t i = 0; i < shown; ++i) text += (i == 0 ? "" : " ") + std::to_string(prompt.tokens[i]);
    text += ']';
  }
  if (shown < count) text += "... (" + std::to_string(count) + " tokens)";
  return text;
}

std::string block_name(std::uint32_t block) { return "block " + std::to_string(block); }

}  // namespace kvrace::cache
