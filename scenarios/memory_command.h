// kvrace memory: what attention over a prompt takes, in one piece and in blocks, and what compression in blocks adds to it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace kvrace::scenarios {

struct memory_question {
  std::uint64_t tokens = 10'000;
  std::uint64_t tile_tokens = 100;  // tokens along each side of a block of the attention matrix
};

// Its options, as they were given.
struct memory_arguments {
  std::optional<std::string> tokens, tile;
  [[nodiscard]] CLI::App* declare(CLI::App&);
  [[nodiscard]] memory_question question() const;
};

[[nodiscard]] std::string memory_text(const memory_question&);
int run_memory(const memory_question&);

}  // namespace kvrace::scenarios
