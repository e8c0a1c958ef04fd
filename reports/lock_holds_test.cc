#include "reports/lock_holds.h"

#include <catch2/catch.hpp>

namespace kvrace::reports {
namespace {

using held = std::vector<lock_hold>;

trace_step by(unsigned task, const char* kind, const char* object) {
  trace_step step;
  step.task = task;
  step.kind = kind;
  step.object = object;
  return step;
}

TEST_CASE("a hold lasts from lock to unlock, of one task and one lock; one that is not given back lasts to the end") {
  CHECK(lock_holds_of({by(1, "lock", "mutex a"), by(2, "unlock", "mutex b"), by(1, "lock", "mutex b"),
                       by(1, "unlock", "mutex a")}) == held{{.from = 0, .to = 3}, {.from = 2, .to = {}}});
}

TEST_CASE("a reader's hold is shared") {
  CHECK(lock_holds_of({by(1, "lock_shared", "shared_mutex a"), by(2, "lock_shared", "shared_mutex a"),
                       by(1, "unlock_shared", "shared_mutex a")}) ==
        held{{.from = 0, .to = 2, .shared = true}, {.from = 1, .to = {}, .shared = true}});
}

TEST_CASE("a recursive lock is one hold") {
  CHECK(lock_holds_of({by(1, "lock", "mutex a"), by(1, "lock", "mutex a"), by(1, "unlock", "mutex a"),
                       by(1, "unlock", "mutex a")}) == held{{.from = 0, .to = 3}});
}

TEST_CASE("an attempt is a hold if the lock is given back, and the last of several") {
  CHECK(lock_holds_of({by(1, "try_lock", "mutex a")}).empty());
  CHECK(lock_holds_of({by(1, "try_lock", "mutex a"), by(1, "try_lock", "mutex a"), by(1, "unlock", "mutex a")}) ==
        held{{.from = 1, .to = 2}});
}

TEST_CASE("a wait gives back the lock that is reacquired, and without that the one taken last") {
  CHECK(lock_holds_of({by(1, "lock", "mutex a"), by(1, "lock", "mutex b"), by(1, "wait", "condition_variable c"),
                       by(1, "reacquire", "mutex a")}) ==
        held{{.from = 0, .to = 2}, {.from = 1, .to = {}}, {.from = 3, .to = {}}});
  CHECK(lock_holds_of({by(1, "lock", "mutex a"), by(1, "lock", "mutex b"), by(1, "wait", "condition_variable c")}) ==
        held{{.from = 0, .to = {}}, {.from = 1, .to = 2}});
}

}  // namespace
}  // namespace kvrace::reports
