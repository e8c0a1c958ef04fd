// Smaller questions about the same requests: fewer and shorter prompts, with plain names.
#pragma once

#include <cstdint>
#include <vector>

#include <nlohmann/json.hpp>

namespace kvrace::scenarios {

enum class simplification : std::uint8_t {
  fewer,    // different ones: two become one
  plainer,  // without tenants, adapters, versions of these
  shorter,  // by the last token
  renamed,  // tokens A, B, C, ... of models m, n, ... in the order in which they appear
};
inline constexpr simplification simplifications[] = {simplification::fewer, simplification::plainer, simplification::shorter,
                                                     simplification::renamed};

// What the document of a scenario, its tasks written out, may become by one step of this kind. Empty if it is as simple already.
[[nodiscard]] std::vector<nlohmann::ordered_json> simpler_prompts(const nlohmann::ordered_json& document, simplification how);

}  // namespace kvrace::scenarios
