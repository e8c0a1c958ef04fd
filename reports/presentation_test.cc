// A terminal of the test's own, as the kernel makes them for terminal emulators.
#include <catch2/catch.hpp>

#include <cstdlib>

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "reports/report.h"

namespace kvrace::reports {
namespace {

class terminal {
 public:
  terminal() : emulator_(::posix_openpt(O_RDWR | O_NOCTTY)) {
    REQUIRE(emulator_ >= 0);
    REQUIRE(::grantpt(emulator_) == 0);
    REQUIRE(::unlockpt(emulator_) == 0);
    descriptor_ = ::open(::ptsname(emulator_), O_RDWR | O_NOCTTY);
    REQUIRE(descriptor_ >= 0);
  }
  terminal(const terminal&) = delete;
  terminal& operator=(const terminal&) = delete;
  ~terminal() {
    ::close(descriptor_);
    ::close(emulator_);
  }
  [[nodiscard]] int descriptor() const { return descriptor_; }
  void resize(unsigned short columns) const {
    winsize size{};
    size.ws_col = columns;
    REQUIRE(::ioctl(descriptor_, TIOCSWINSZ, &size) == 0);
  }

 private:
  int emulator_;
  int descriptor_ = -1;
};

bool coloured(const char* term, const char* no_color) {
  const terminal any;
  ::setenv("TERM", term, 1);
  ::setenv("NO_COLOR", no_color, 1);
  return presentation_for(any.descriptor()).colour;
}

TEST_CASE("colour is for terminals that know it and users who want it") {
  CHECK(coloured("xterm", ""));
  CHECK_FALSE(coloured("xterm", "1"));
  CHECK_FALSE(coloured("dumb", ""));
  const int no_terminal = ::open("/dev/null", O_RDWR);
  CHECK_FALSE(presentation_for(no_terminal).colour);
  ::setenv("NO_COLOR", "", 1);
  ::setenv("CLICOLOR_FORCE", "1", 1);
  CHECK(presentation_for(no_terminal).colour);
  ::setenv("CLICOLOR_FORCE", "0", 1);
  CHECK_FALSE(presentation_for(no_terminal).colour);
  ::setenv("NO_COLOR", "1", 1);
  ::setenv("CLICOLOR_FORCE", "1", 1);
  CHECK_FALSE(presentation_for(no_terminal).colour);
  ::unsetenv("CLICOLOR_FORCE");
  ::close(no_terminal);
}

TEST_CASE("the text is as wide as the terminal, within limits") {
  const terminal any;
  const auto columns = [&any](unsigned short wide) {
    any.resize(wide);
    return presentation_for(any.descriptor()).columns;
  };
  CHECK(columns(80) == 80);
  CHECK(columns(20) == 60);
  CHECK(columns(1000) == 200);
  CHECK(columns(0) == presentation{}.columns);
}

}  // namespace
}  // namespace kvrace::reports
