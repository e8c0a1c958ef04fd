#include "scenarios/prompts.h"

#include <string>
#include <string_view>
#include <vector>

#include "reports/plain_text.h"
#include "reports/unicode.h"

namespace kvrace::scenarios {
namespace {

using nlohmann::json;

void append_characters(const std::string& text, std::vector<cache::token>& tokens) {
  for (std::string_view rest = text; !rest.empty();) {
    const reports::code_point character = *reports::decode(rest);  // parse_json lets no invalid UTF-8 through
    tokens.push_back(character.value);
    rest.remove_prefix(character.length);
  }
}

std::vector<cache::token> tokens_of(const json& value) {
  std::vector<cache::token> tokens;
  if (value.is_string()) {
    append_characters(value.get_ref<const std::string&>(), tokens);
    return tokens;
  }
  for (const json& each : value) {
    if (each.is_number()) {
      tokens.push_back(each.get<cache::token>());
      continue;
    }
    std::vector<cache::token> once;
    append_characters(each["repeat"].get_ref<const std::string&>(), once);
    for (auto times = each["times"].get<std::size_t>(); times > 0; --times) tokens.insert(tokens.end(), once.begin(), once.end());
  }
  return tokens;
}

constexpr std::string_view hexadecimal = "0123456789abcdef";

std::size_t digit_of(char character) {
  return hexadecimal.find(character >= 'A' && character <= 'F' ? static_cast<char>(character - 'A' + 'a') : character);
}

std::string bytes_of(const std::string& digits) {
  std::string bytes;
  std::size_t high = std::string::npos;
  for (const char each : digits) {
    if (each == ' ') continue;
    const std::size_t digit = digit_of(each);
    if (high == std::string::npos) {
      high = digit;
    } else {
      bytes += static_cast<char>(high << 4U | digit);
      high = std::string::npos;
    }
  }
  return bytes;
}

// Bytes as pairs of digits, with spaces between the pairs or not.
std::optional<std::string> wrong_with_bytes(const std::string& digits) {
  for (std::size_t at = 0; at < digits.size();) {
    if (digits[at] == ' ') {
      ++at;
      continue;
    }
    if (at + 1 == digits.size() || digit_of(digits[at]) == std::string::npos || digit_of(digits[at + 1]) == std::string::npos)
      return "expected bytes as pairs of hexadecimal digits, not '" + reports::excerpt(digits.substr(at, 2)) + "' at character " +
             std::to_string(at + 1);
    at += 2;
  }
  const std::string bytes = bytes_of(digits);
  if (bytes.size() > prompt_tokens_max)
    return "expected at most " + std::to_string(prompt_tokens_max) + " bytes, not " + std::to_string(bytes.size());
  if (const std::size_t nul = bytes.find('\0'); nul != std::string::npos)
    return "expected no NUL, which byte " + std::to_string(nul + 1) + " is";
  return std::nullopt;
}

std::optional<std::string> wrong_with_tokens(const json& value) {
  if (!value.is_array()) return std::nullopt;
  std::size_t count = 0;
  for (const json& each : value) {
    std::vector<cache::token> once;
    if (each.is_object()) append_characters(each["repeat"].get_ref<const std::string&>(), once);
    count += each.is_object() ? once.size() * each["times"].get<std::size_t>() : 1;
  }
  if (count <= prompt_tokens_max) return std::nullopt;
  return "expected at most " + std::to_string(prompt_tokens_max) + " tokens, not " + std::to_string(count);
}

std::optional<input_error> check_prompt(const json& operation, const std::string& pointer) {
  if (const auto text = operation.find("text"); text != operation.end()) {
    const std::size_t nul = text->get_ref<const std::string&>().find('\0');
    if (nul != std::string::npos)
      return input_error{pointer + "/text", "expected no NUL, which byte " + std::to_string(nul + 1) + " is"};
  }
  if (const auto bytes = operation.find("bytes"); bytes != operation.end())
    if (const auto wrong = wrong_with_bytes(bytes->get_ref<const std::string&>())) return input_error{pointer + "/bytes", *wrong};
  if (const auto tokens = operation.find("tokens"); tokens != operation.end())
    if (const auto wrong = wrong_with_tokens(*tokens)) return input_error{pointer + "/tokens", *wrong};
  return std::nullopt;
}

}  // namespace

std::optional<input_error> check_prompts(const json& document) {
  if (!document.contains("tasks")) return std::nullopt;
  for (std::size_t task = 0; task < document["tasks"].size(); ++task) {
    const json& operations = document["tasks"][task]["operations"];
    const std::string place = reports::pointer_to(reports::pointer_to("/tasks", task), "operations");
    for (std::size_t index = 0; index < operations.size(); ++index) {
      const auto call = operations[index].begin();
      if (auto error = check_prompt(call.value(), reports::pointer_to(reports::pointer_to(place, index), call.key())))
        return error;
    }
  }
  return std::nullopt;
}

prompt_reader::prompt_reader(const cache::configuration& configuration) {
  if (!cache::validate(configuration)) text_.emplace(configuration);
}

cache::prompt prompt_reader::read(const json& operation) {
  cache::prompt prompt{
      .owner = {.model = operation["model"].get<std::string>(),
                .adapter = operation.value("adapter", ""),
                .adapter_version = operation.value("adapter_version", std::uint32_t{0}),
                .tenant = operation.value("tenant", "")},
      .tokens = {},
      .priority = operation.value("priority", "low") == "high" ? cache::priority_class::high : cache::priority_class::low};
  if (operation.contains("tokens"))
    prompt.tokens = tokens_of(operation["tokens"]);
  else if (text_)
    text_->read(operation.contains("text") ? operation["text"].get<std::string>() : bytes_of(operation["bytes"]), prompt);
  return prompt;
}

}  // namespace kvrace::scenarios
