// From what a client sends to the tokens of a prompt: decoded, sanitised, split into grapheme clusters, numbered.
#pragma once

#include <memory>
#include <string_view>

#include <kvrace/cache/configuration.h>
#include <kvrace/cache/prompt.h>

namespace kvrace::cache {

// One pipeline for all the prompts of a scenario: equal clusters are equal tokens. The bytes come in chunks of
// configuration::input_chunk_bytes, which make no difference unless a flaw in seam "input" is planted.
class input_reader {
 public:
  // Requires validate(configuration) to have no error.
  explicit input_reader(const configuration&);
  ~input_reader();
  input_reader(const input_reader&) = delete;
  input_reader& operator=(const input_reader&) = delete;

  // Gives `to`, whose owner is set, its tokens, what they were meant to be, and what was found in the input. At most 4 GiB.
  void read(std::string_view bytes, prompt& to);

 private:
  class pipeline;
  std::unique_ptr<pipeline> pipeline_;
};

}  // namespace kvrace::cache
