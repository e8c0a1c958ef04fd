// Golden files: run with KVRACE_UPDATE_GOLDEN=1 to rewrite them, then read the difference.
#include <catch2/catch.hpp>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "reports/plain_text.h"
#include "reports/report.h"
#include "reports/sample_reports.h"

namespace kvrace::reports {
namespace {

std::string written(const std::vector<report>& reports, const presentation& how = {}) {
  std::ostringstream out;
  write_text(out, reports, how);
  return out.str();
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string golden(const std::string& name, const std::string& text) {
  const std::string path = KVRACE_REPORTS_FOLDER "/golden/" + name;
  if (const char* update = std::getenv("KVRACE_UPDATE_GOLDEN"); update != nullptr && *update != '\0') std::ofstream(path) << text;
  std::ifstream file(path);
  std::ostringstream content;
  content << file.rdbuf();
  return content.str();
}

TEST_CASE("text reports look as they did when somebody last looked at them") {
  const auto check = [](const char* name, const std::string& text) {
    INFO(name);
    CHECK(text == golden(name, text));
  };
  check("ghost_entry.txt", written({sample::ghost_entry()}));
  check("ghost_entry_60_columns.txt", written({sample::ghost_entry()}, {.columns = 60}));
  check("proved.txt", written({sample::proved()}));
  check("certified.txt", written({sample::certified()}));
  check("long_trace.txt", written({sample::long_trace()}));
  check("many_tasks.txt", written({sample::many_tasks()}));
  check("traffic.txt", written({sample::traffic()}));
  check("traffic_60_columns.txt", written({sample::traffic()}, {.columns = 60}));
  check("rollouts.txt", written({sample::rollouts()}));
  check("hostile.txt", written({sample::hostile()}));
  check("two_scenarios.txt", written({sample::proved(), sample::ghost_entry()}));
  check("colour.txt", written({sample::ghost_entry()}, {.colour = true}));
}

TEST_CASE("numbers that are wider than their column stay apart") {
  report crowded = sample::traffic();
  for (traffic_window& window : crowded.traffic->windows) {
    window.in_flight = {.mean = 59.4, .max = 64};
    window.queued = {.mean = 1755.9, .max = 3'867'000'000};
  }
  CHECK(written({crowded}).find("59.4/64 1755.9/3867000000 ") != std::string::npos);
}

TEST_CASE("the verdict is the first word and the replay line the last line") {
  const std::vector<std::string> lines = lines_of(written({sample::ghost_entry()}));
  CHECK(lines.front().starts_with("VIOLATION "));
  CHECK(lines.back() == "Replay: kvrace replay scenarios/01_ghost.json --schedule 1.3:2,2.5:1");
}

TEST_CASE("no line is wider than the terminal but those meant to be copied") {
  for (const unsigned columns : {60U, 80U, 100U, 132U, 200U}) {
    for (const report& facts :
         {sample::ghost_entry(), sample::long_trace(), sample::many_tasks(), sample::traffic(), sample::hostile()}) {
      for (const std::string& line : lines_of(written({facts}, {.columns = columns}))) {
        if (line.starts_with("Replay") || line.starts_with("VIOLATION") || line.starts_with("  at ")) continue;
        INFO(line);
        CHECK(width(line) <= columns);
      }
    }
  }
}

TEST_CASE("without colour a report has no control character but the newline, whatever the program wrote") {
  for (const char c : written({sample::hostile()})) CHECK_FALSE((static_cast<unsigned char>(c) < 0x20 && c != '\n'));
}

TEST_CASE("a long trace shows every decisive step and folds the others") {
  const std::string text = written({sample::long_trace()});
  CHECK(lines_of(text).size() < 100);
  for (const char* row : {" !* 201", " !* 301", "  * 250", "X * 400"}) {
    INFO(row);
    CHECK(text.find(row) != std::string::npos);
  }
  CHECK(text.find("serve(m, BBBB)") != std::string::npos);  // the call the decisive steps belong to
}

TEST_CASE("plain accesses that decide nothing stay out of the table") {
  CHECK(written({sample::ghost_entry()}).find("var 'index'") == std::string::npos);
  report decided = sample::ghost_entry();
  decided.result.findings[0].trace[4].decisive = true;
  CHECK(written({decided}).find("read var 'index'") != std::string::npos);
}

TEST_CASE("the life of the subject is told beside the steps") {
  const std::string text = written({sample::ghost_entry()});
  CHECK(text.find("= evict block 1") != std::string::npos);
  CHECK(text.find("= allocate block 0") == std::string::npos);
}

TEST_CASE("a finding without a trace, tasks or sites is still reported") {
  report bare = sample::ghost_entry();
  finding& found = bare.result.findings.front();
  found.trace.clear();
  found.tasks.clear();
  found.sites.clear();
  found.subject.clear();
  bare.replay_commands.clear();
  const std::string text = written({bare});
  CHECK(text.find("no trace was recorded") != std::string::npos);
  CHECK(text.find("task 2") != std::string::npos);
  CHECK(text.find("Replay") == std::string::npos);
}

TEST_CASE("a rate without data says so instead of dividing") {
  CHECK(written({sample::ghost_entry()}).find("hit         no data") != std::string::npos);
}

TEST_CASE("only terminals get colour") {
  const presentation to_file = presentation_for(-1);
  CHECK_FALSE(to_file.colour);
  CHECK(to_file.columns == 100);
}

}  // namespace
}  // namespace kvrace::reports
