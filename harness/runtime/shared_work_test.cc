// Work shared by several processes comes to the same, in the same order.
#include <kvrace/shared_work.h>

#include <catch2/catch.hpp>

#include <unistd.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace {

kvrace::shared_work squares(std::uint64_t pieces, std::vector<std::string>& taken) {
  return {.pieces = pieces,
          .work = [](std::uint64_t index) { return std::string(index % 3 * 70'000, 'x') + std::to_string(index * index); },
          .take =
              [&taken](std::uint64_t index, const std::string& came_to) {
                CHECK(index == taken.size());
                taken.push_back(came_to);
              },
          .go_on = [](double) { return true; }};
}

}  // namespace

TEST_CASE("shared work is taken in order of its pieces, for any number of processes") {
  std::vector<std::string> alone;
  REQUIRE(kvrace::do_shared(1, squares(20, alone)).complete);
  REQUIRE(alone.size() == 20);
  for (const unsigned jobs : {2U, 3U, 7U, 50U}) {
    std::vector<std::string> shared;
    CHECK(kvrace::do_shared(jobs, squares(20, shared)).complete);
    CHECK(shared == alone);
  }
  std::vector<std::string> nothing;
  CHECK(kvrace::do_shared(2, squares(0, nothing)).complete);
  CHECK(nothing.empty());
}

TEST_CASE("shared work ends when it is told so") {
  for (const unsigned jobs : {1U, 2U}) {
    std::vector<std::string> taken;
    kvrace::shared_work what = squares(1'000'000, taken);
    what.go_on = [&taken](double) { return taken.size() < 5; };
    CHECK_FALSE(kvrace::do_shared(jobs, what).complete);
    CHECK(taken.size() == 5);
  }
}

TEST_CASE("shared work in which a process dies is an error that names the piece") {
  std::vector<std::string> taken;
  kvrace::shared_work what = squares(10, taken);
  what.work = [](std::uint64_t index) {
    if (index == 6) ::_exit(3);
    return std::to_string(index);
  };
  std::string message;
  try {
    (void)kvrace::do_shared(2, what);
  } catch (const std::runtime_error& error) {
    message = error.what();
  }
  CHECK(message == "kvrace: a worker process ended with exit code 3 at piece 6 of the work: do it with one job to see why");
  CHECK(taken.size() == 6);
}
