#include <cstdlib>

#include <sys/ioctl.h>
#include <unistd.h>

#include "reports/report.h"

namespace kvrace::reports {
namespace {

constexpr unsigned columns_min = 60;
constexpr unsigned columns_max = 200;

}  // namespace

presentation presentation_for(int descriptor) {
  presentation result;
  if (::isatty(descriptor) == 0) return result;
  winsize size{};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col != 0) {
    result.columns = size.ws_col < columns_min ? columns_min : size.ws_col > columns_max ? columns_max : size.ws_col;
  }
  const char* no_color = std::getenv("NO_COLOR");
  result.colour = no_color == nullptr || *no_color == '\0';
  return result;
}

}  // namespace kvrace::reports
