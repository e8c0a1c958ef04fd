#include <cstdlib>
#include <string_view>

#include <sys/ioctl.h>
#include <unistd.h>

#include "reports/report.h"

namespace kvrace::reports {
namespace {

constexpr unsigned columns_min = 60;
constexpr unsigned columns_max = 200;

}  // namespace

presentation presentation_for(int descriptor) {
  const auto variable = [](const char* name) {
    const char* const value = std::getenv(name);
    return std::string_view(value == nullptr ? "" : value);
  };
  const bool terminal = ::isatty(descriptor) != 0;
  const bool forced = !variable("CLICOLOR_FORCE").empty() && variable("CLICOLOR_FORCE") != "0";
  presentation result;
  result.colour = variable("NO_COLOR").empty() && (forced || (terminal && variable("TERM") != "dumb"));
  winsize size{};
  if (terminal && ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col != 0) {
    result.columns = size.ws_col < columns_min ? columns_min : size.ws_col > columns_max ? columns_max : size.ws_col;
  }
  return result;
}

}  // namespace kvrace::reports
