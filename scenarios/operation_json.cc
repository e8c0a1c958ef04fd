#include "scenarios/operation_json.h"

#include <algorithm>
#include <string>
#include <utility>

namespace kvrace::scenarios {
namespace {

using json = nlohmann::ordered_json;

json tokens_as_json(const std::vector<cache::token>& tokens) {
  const bool are_text = std::all_of(tokens.begin(), tokens.end(), [](cache::token each) { return each > 0x20 && each < 0x7F; });
  if (are_text) return std::string(tokens.begin(), tokens.end());
  return tokens;
}

json prompt_as_json(const cache::prompt& prompt) {
  json text = {{"model", prompt.owner.model}};
  if (!prompt.owner.adapter.empty()) text["adapter"] = prompt.owner.adapter;
  if (prompt.owner.adapter_version != 0) text["adapter_version"] = prompt.owner.adapter_version;
  if (!prompt.owner.tenant.empty()) text["tenant"] = prompt.owner.tenant;
  if (prompt.priority == cache::priority_class::high) text["priority"] = "high";
  text["tokens"] = tokens_as_json(prompt.tokens);
  return text;
}

}  // namespace

json to_json(const operation& call) {
  switch (call.what) {
    case operation::kind::lookup: return {{"lookup", prompt_as_json(call.prompt)}};
    case operation::kind::invalidate: return {{"invalidate", json::object()}};
    case operation::kind::wait: return {{"wait", {{"us", static_cast<double>(call.duration.count()) / 1e3}}}};
    case operation::kind::expect_match: {
      json text = prompt_as_json(call.prompt);
      text["expected_tokens"] = call.expected_tokens;
      return {{"expect_match", std::move(text)}};
    }
    case operation::kind::serve: break;
    default: return nullptr;  // nobody draws one
  }
  json text = prompt_as_json(call.prompt);
  if (call.cancel == cache::cancel_point::after_lookup) text["cancel"] = "after_lookup";
  if (call.cancel == cache::cancel_point::after_reserve) text["cancel"] = "after_reserve";
  if (call.cancel == cache::cancel_point::after_fill) text["cancel"] = "after_fill";
  return {{"serve", std::move(text)}};
}

}  // namespace kvrace::scenarios
