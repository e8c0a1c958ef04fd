#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <sstream>

#include <sys/wait.h>
#include <unistd.h>
#include <csignal>

#include "reports/report.h"

namespace kvrace::reports {
namespace {

namespace fs = std::filesystem;

// A folder of its own for each test, removed at the end.
class scratch {
 public:
  scratch() {
    std::string pattern = (fs::temp_directory_path() / "kvrace-reports-XXXXXX").string();
    REQUIRE(::mkdtemp(pattern.data()) != nullptr);
    path_ = pattern;
  }
  scratch(const scratch&) = delete;
  scratch& operator=(const scratch&) = delete;
  ~scratch() { fs::remove_all(path_); }
  [[nodiscard]] std::string file(const char* name) const { return (path_ / name).string(); }
  [[nodiscard]] std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(path_), fs::directory_iterator()));
  }

 private:
  fs::path path_;
};

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST_CASE("a written file holds the content and nothing else is left beside it") {
  const scratch folder;
  CHECK(!write_file(folder.file("a.json"), "first"));
  CHECK(content_of(folder.file("a.json")) == "first");
  CHECK(!write_file(folder.file("a.json"), "2"));
  CHECK(content_of(folder.file("a.json")) == "2");
  CHECK(folder.files() == 1);
}

TEST_CASE("a file that cannot be written is one line, and nothing is left") {
  const scratch folder;
  const std::optional<std::string> error = write_file(folder.file("missing/a.json"), "x");
  REQUIRE(error);
  CHECK(error->find("missing/a.json: cannot create: ") != std::string::npos);
  CHECK(error->find('\n') == std::string::npos);
  fs::create_directory(folder.file("folder"));
  CHECK(write_file(folder.file("folder"), "x"));
  CHECK(folder.files() == 1);
  CHECK(write_file("", "x"));
}

TEST_CASE("a link is followed, not replaced, and a device is written to") {
  const scratch folder;
  CHECK(!write_file(folder.file("target"), "old"));
  fs::create_symlink(folder.file("target"), folder.file("link"));
  CHECK(!write_file(folder.file("link"), "new"));
  CHECK(fs::is_symlink(folder.file("link")));
  CHECK(content_of(folder.file("target")) == "new");
  CHECK(!write_file("/dev/null", "x"));
  CHECK(fs::is_character_file("/dev/null"));
}

TEST_CASE("a writer that is killed leaves the old file or the whole new one") {
  const scratch folder;
  const std::string path = folder.file("a.json");
  const std::string old_content(1'000'000, 'o');
  const std::string new_content(1'000'000, 'n');
  REQUIRE(!write_file(path, old_content));
  for (unsigned delay_us = 0; delay_us < 3'000; delay_us += 250) {
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      for (;;) {
        static_cast<void>(write_file(path, new_content));
        static_cast<void>(write_file(path, old_content));
      }
    }
    ::usleep(delay_us);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    const std::string content = content_of(path);
    CHECK((content == old_content || content == new_content));
  }
}

}  // namespace
}  // namespace kvrace::reports
