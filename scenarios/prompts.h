// The prompt of an operation, as a scenario writes it: tokens, text, or bytes that need not be text.
#pragma once

#include <optional>

#include <nlohmann/json.hpp>

#include <kvrace/cache/input.h>

#include "reports/input_error.h"

namespace kvrace::scenarios {

using reports::input_error;

inline constexpr std::size_t prompt_tokens_max = 65'536;  // as in the scenario schema

// What the schema cannot say of the prompts in `document`, which it has accepted.
[[nodiscard]] std::optional<input_error> check_prompts(const nlohmann::json& document);

// For one scenario: equal characters become equal tokens.
class prompt_reader {
 public:
  explicit prompt_reader(const cache::configuration&);
  // Of an operation that passes check_prompts(). Text is left out where the configuration has an error.
  [[nodiscard]] cache::prompt read(const nlohmann::json& operation);

 private:
  std::optional<cache::input_reader> text_;
};

}  // namespace kvrace::scenarios
