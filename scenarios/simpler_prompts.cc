#include "scenarios/simpler_prompts.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

namespace kvrace::scenarios {
namespace {

using json = nlohmann::ordered_json;

constexpr const char* const parts[] = {"model", "adapter", "adapter_version", "tenant", "tokens"};
constexpr std::size_t different_max = 8;  // pairs of more would be many searches

// The places where requests name a prompt. None where some say how many tokens they expect to match, or give theirs as text: what
// that becomes is part of the question.
std::vector<json*> prompts_in(json& document) {
  std::vector<json*> found;
  for (json& task : document["tasks"])
    for (json& operation : task["operations"]) {
      if (operation.contains("expect_match")) return {};
      for (const char* const kind : {"serve", "lookup"}) {
        if (!operation.contains(kind)) continue;
        if (!operation[kind].contains("tokens")) return {};
        found.push_back(&operation[kind]);
      }
    }
  return found;
}

json prompt_of(const json& request) {
  json prompt = json::object();
  for (const char* const part : parts)
    if (request.contains(part)) prompt[part] = request[part];
  return prompt;
}

void set_prompt(json& request, const json& prompt) {
  for (const char* const part : parts) request.erase(part);
  for (const auto& [name, value] : prompt.items()) request[name] = value;
}

void replace(json& document, const json& prompt, const json& by) {
  for (json* const request : prompts_in(document))
    if (prompt_of(*request) == prompt) set_prompt(*request, by);
}

// Tokens as they are written: the characters of a string, or the members of an array.
std::vector<json> tokens_of(const json& prompt) {
  std::vector<json> tokens;
  if (prompt["tokens"].is_string())
    for (const char each : prompt["tokens"].get_ref<const std::string&>()) tokens.emplace_back(std::string(1, each));
  else
    tokens.assign(prompt["tokens"].begin(), prompt["tokens"].end());
  return tokens;
}

json without_last_token(json prompt) {
  json& tokens = prompt["tokens"];
  if (tokens.is_string())
    tokens.get_ref<std::string&>().pop_back();
  else
    tokens.erase(tokens.size() - 1);
  return prompt;
}

// `names` in the order in which `seen` was filled.
std::string renamed(const json& one, std::vector<json>& seen, char first, char last) {
  const auto at = std::find(seen.begin(), seen.end(), one);
  const auto place = at - seen.begin();
  if (at == seen.end()) seen.push_back(one);
  return place > last - first ? std::string() : std::string(1, static_cast<char>(first + place));
}

// Empty where there are more names than letters.
json with_plain_names(json document) {
  std::vector<json> tokens;
  std::vector<json> models;
  for (json* const request : prompts_in(document)) {
    json prompt = prompt_of(*request);
    std::string text;
    for (const json& token : tokens_of(prompt)) {
      const std::string name = renamed(token, tokens, 'A', 'Z');
      if (name.empty()) return {};
      text += name;
    }
    prompt["tokens"] = text;
    const std::string model = renamed(prompt["model"], models, 'm', 'z');
    if (model.empty()) return {};
    prompt["model"] = model;
    set_prompt(*request, prompt);
  }
  return document;
}

std::vector<json> different_prompts(const json& document) {
  json copy = document;
  std::vector<json> different;
  for (const json* const request : prompts_in(copy))
    if (const json prompt = prompt_of(*request); std::find(different.begin(), different.end(), prompt) == different.end())
      different.push_back(prompt);
  return different;
}

void two_become_one(const json& document, std::vector<json>& candidates) {
  const std::vector<json> different = different_prompts(document);
  if (different.size() > different_max) return;
  for (std::size_t later = different.size(); later-- > 1;)
    for (std::size_t earlier = 0; earlier < later; ++earlier)
      replace(candidates.emplace_back(document), different[later], different[earlier]);
}

void without_attributes(const json& document, std::vector<json>& candidates) {
  for (const char* const part : {"tenant", "adapter_version", "adapter"})
    for (json* const request : prompts_in(candidates.emplace_back(document))) request->erase(part);
}

void without_last_tokens(const json& document, std::vector<json>& candidates) {
  for (const json& prompt : different_prompts(document))
    if (tokens_of(prompt).size() > 1) replace(candidates.emplace_back(document), prompt, without_last_token(prompt));
}

}  // namespace

std::vector<json> simpler_prompts(const json& document, simplification how) {
  std::vector<json> candidates;
  switch (how) {
    case simplification::fewer: two_become_one(document, candidates); break;
    case simplification::plainer: without_attributes(document, candidates); break;
    case simplification::shorter: without_last_tokens(document, candidates); break;
    case simplification::renamed: candidates.push_back(with_plain_names(document)); break;
  }
  std::erase_if(candidates, [&](const json& candidate) { return candidate.is_null() || candidate == document; });
  return candidates;
}

}  // namespace kvrace::scenarios
