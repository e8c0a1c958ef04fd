// The part of the command line that is about stored reports, shells and the manual.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace kvrace::scenarios {

class report_options {
 public:
  void declare(CLI::App&);
  // After parsing: what one of these commands exits with; nothing if it is another command.
  [[nodiscard]] std::optional<int> dispatch(const CLI::App&) const;

 private:
  CLI::App* report_ = nullptr;
  CLI::App* diff_ = nullptr;
  CLI::App* completion_ = nullptr;
  CLI::App* man_ = nullptr;
  std::vector<std::string> files_;
  std::optional<std::string> format_, out_;
  std::string before_, after_, shell_;
  bool merge_ = false;
  bool exit_code_ = false;
  bool verbose_ = false;
  bool json_ = false;
};

}  // namespace kvrace::scenarios
