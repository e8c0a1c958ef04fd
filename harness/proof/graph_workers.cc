#include "proof/graph_workers.h"

#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <stdexcept>
#include <system_error>

#include "proof/graph_bytes.h"
#include "runtime/pipes.h"

namespace kvrace::detail {

namespace {

bool send_text(int pipe, const std::string& text) {
  const std::uint64_t size = text.size();
  return send_bytes(pipe, &size, sizeof size) && send_bytes(pipe, text.data(), text.size());
}

std::optional<std::string> receive_text(int pipe) {
  std::uint64_t size = 0;
  if (!receive_bytes(pipe, &size, sizeof size)) return std::nullopt;
  std::string text(size, '\0');
  if (!receive_bytes(pipe, text.data(), size)) return std::nullopt;
  return text;
}

}  // namespace

std::optional<std::string> graph_workers::line::take() const { return receive_text(in_); }

void graph_workers::line::send(const graph_report& report) const {
  asked_.store(nothing, std::memory_order_relaxed);
  byte_writer to;
  to.put(report.what);
  report.account.save(to);
  to.put_text(report.rest);
  to.put<std::uint64_t>(report.given.size());
  for (const std::string& each : report.given) to.put_text(each);
  if (!send_text(out_, to.take())) ::_exit(0);
}

graph_workers::graph_workers(unsigned jobs, std::function<void(const line&)> work)
    : work_(std::move(work)), asked_bytes_(jobs * sizeof *asked_) {
  void* shared = ::mmap(nullptr, asked_bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) throw std::bad_alloc();
  asked_ = new (shared) std::atomic<std::uint32_t>[jobs] {};
  for (unsigned worker = 0; worker < jobs; ++worker) processes_.push_back(start(worker));
}

graph_workers::process graph_workers::start(unsigned worker) {
  std::array<int, 2> items{};
  std::array<int, 2> reports{};
  if (::pipe(items.data()) != 0 || ::pipe(reports.data()) != 0)
    throw std::system_error(errno, std::generic_category(), "kvrace: a pipe to a worker process");
  const pid_t id = ::fork();
  if (id < 0) throw std::system_error(errno, std::generic_category(), "kvrace: a worker process");
  if (id == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::signal(SIGINT, SIG_IGN);  // the parent decides what an interrupt means
    ::signal(SIGTERM, SIG_IGN);
    ::signal(SIGPIPE, SIG_IGN);
    ::close(items[1]);
    ::close(reports[0]);
    for (const process& other : processes_) {
      ::close(other.in);
      ::close(other.out);
    }
    work_(line(items[0], reports[1], asked_[worker]));
    ::_exit(0);  // nothing of the parent's is to be flushed or destroyed here
  }
  ::close(items[0]);
  ::close(reports[1]);
  return {id, items[1], reports[0]};
}

void graph_workers::end(const process& one) {
  ::kill(one.id, SIGKILL);
  ::close(one.in);
  ::close(one.out);
  (void)how_it_ended(one.id);
}

void graph_workers::renew(unsigned worker) {
  end(processes_[worker]);
  processes_[worker] = start(worker);
}

graph_workers::~graph_workers() {
  for (const process& each : processes_) end(each);
  ::munmap(asked_, asked_bytes_);
}

void graph_workers::give(unsigned worker, const std::string& item) {
  ask(worker, nothing);
  if (!send_text(processes_[worker].in, item))
    throw std::runtime_error("kvrace: a worker process " + how_it_ended(processes_[worker].id) +
                             ": repeat the proof with one job");
}

unsigned graph_workers::wait(int timeout_ms) const {
  std::vector<pollfd> wanted;
  for (const process& each : processes_) wanted.push_back({each.out, POLLIN, 0});
  if (::poll(wanted.data(), wanted.size(), timeout_ms) <= 0) return size();
  unsigned first = 0;
  while (first < size() && wanted[first].revents == 0) ++first;
  return first;
}

void graph_workers::receive(unsigned worker, graph_report& report) {
  const std::optional<std::string> text = receive_text(processes_[worker].out);
  if (!text)
    throw std::runtime_error("kvrace: a worker process " + how_it_ended(processes_[worker].id) +
                             ": repeat the proof with one job");
  byte_reader from(*text);
  report.what = from.get<graph_report::kind>();
  report.account.load(from);
  report.rest = from.get_text();
  for (auto left = from.get<std::uint64_t>(); left > 0; --left) report.given.emplace_back(from.get_text());
}

}  // namespace kvrace::detail
