#include "scenarios/progress.h"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <string_view>

#include <sys/ioctl.h>
#include <unistd.h>

#include "reports/plain_text.h"

namespace kvrace::scenarios {
namespace {

constexpr unsigned columns_with_title_min = 50;

volatile std::sig_atomic_t stop_flag = 0;

void on_signal(int) { stop_flag = 1; }

void print(std::string_view text) {
  // A terminal that has gone away is no reason to end a search.
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
}

std::string rounded(double value) { return std::to_string(static_cast<std::uint64_t>(std::llround(std::max(value, 0.0)))); }

// Seconds until the first budget ends the search, or without one until it is done by estimate; below 0 if nothing is known.
double time_left_s(const kvrace::search_progress& progress) {
  double left = -1;
  if (progress.time_s_max > 0) left = progress.time_s_max - progress.time_s;
  if (progress.runs_max > 0 && progress.runs > 0) {
    const double by_runs = progress.time_s * (static_cast<double>(progress.runs_max) / static_cast<double>(progress.runs) - 1);
    left = left < 0 ? by_runs : std::min(left, by_runs);
  }
  if (left < 0 && progress.runs_estimated > 0 && progress.runs > 0)
    left = progress.time_s * (progress.runs_estimated / static_cast<double>(progress.runs) - 1);
  return left;
}

// One that can rewrite its line.
bool is_terminal(int descriptor) {
  const char* const kind = std::getenv("TERM");
  return ::isatty(descriptor) == 1 && (kind == nullptr || std::string_view(kind) != "dumb");
}

unsigned columns_of_terminal() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

void stop_on_signals() {
  struct sigaction action{};
  action.sa_handler = on_signal;
  action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
}

bool stop_requested() { return stop_flag != 0; }

std::string describe_progress(const std::string& title, const kvrace::search_progress& progress) {
  // What may not fit a narrow terminal comes last.
  std::string text = title + ": ";
  if (progress.runs_max > 0) {
    text += rounded(100 * static_cast<double>(progress.runs) / static_cast<double>(progress.runs_max)) + "% of " +
            std::to_string(progress.runs_max) + " runs";
  } else {
    text += std::to_string(progress.runs) + " runs";
  }
  if (progress.runs_estimated > 0)
    text += " of about " + rounded(progress.runs_estimated) + " (standard error " + rounded(progress.runs_estimated_error) + ")";
  if (const double left = time_left_s(progress); left >= 0) text += ", " + rounded(left) + " s left";
  if (progress.time_s > 0) text += ", " + rounded(static_cast<double>(progress.runs) / progress.time_s) + "/s";
  if (progress.states_distinct > 0) {
    text += ", bound " + std::to_string(progress.preemptions) + ", " + std::to_string(progress.states_distinct) + " states, " +
            std::to_string(progress.states_open) + " open";
  } else if (progress.schedules_distinct > 0) {
    text += ", " + std::to_string(progress.schedules_distinct) + " schedules";
  }
  if (progress.violations > 0) text += ", " + std::to_string(progress.violations) + " violations";
  return text;
}

std::string describe_progress(const std::string& title, const kvrace::search_progress& progress,
                              const traffic_progress& traffic) {
  const auto done = static_cast<double>(progress.runs * traffic.requests_expected + traffic.requests);
  const auto in_all = static_cast<double>(std::max<std::uint64_t>(progress.runs_max, 1) * traffic.requests_expected);
  std::string text = title + ": " + rounded(100 * std::min(done / in_all, 1.0)) + "% of " + rounded(in_all) + " requests, " +
                     rounded(progress.run_virtual_s) + " virtual s";
  if (done > 0) text += ", " + rounded(progress.time_s * (in_all / done - 1)) + " s left";
  if (progress.time_s > 0) text += ", " + rounded(done / progress.time_s) + "/s";
  if (progress.violations > 0) text += ", " + std::to_string(progress.violations) + " violations";
  return text;
}

progress_line::progress_line(std::string title, const traffic_account* traffic)
    : title_(std::move(title)), traffic_(traffic), is_terminal_(is_terminal(STDERR_FILENO)) {}

progress_line::~progress_line() {
  if (shown_) print("\r\033[K");
}

bool progress_line::on_progress(const kvrace::search_progress& progress) {
  if (is_terminal_) {
    std::string line = traffic_ == nullptr
                           ? describe_progress(title_, progress)
                           : describe_progress(title_, progress, {traffic_->requests_ended(), traffic_->requests_expected()});
    const unsigned columns = columns_of_terminal();
    if (columns < columns_with_title_min) line.erase(0, title_.size() + 2);
    line = reports::elide(line, columns - 1);
    print("\r" + line + "\033[K");
    shown_ = true;
  }
  return !stop_requested();
}

}  // namespace kvrace::scenarios
