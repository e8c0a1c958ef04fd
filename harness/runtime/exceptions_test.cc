// Exceptions: those that escape are violations, those in flight survive switches, and none leaks into another task or run.
#include <exception>
#include <stdexcept>

#include <kvrace/kvrace.h>

#include "test_support.h"

using namespace kvrace::testing;
using kvrace::atomic;
using kvrace::mutex;

namespace {

// Throws, catches, and stays inside the handler over many decisions; then the exception must be the same.
void hold_exception(kvrace::run& run, atomic<int>& steps, int id) {
  try {
    throw id;
  } catch (int caught) {
    for (int i = 0; i < 3; ++i) steps.fetch_add(1);
    run.require(caught == id, "the caught value");
    try {
      throw;
    } catch (int again) {
      run.require(again == id, "rethrown inside the handler");
      steps.fetch_add(1);
    }
    run.require(std::current_exception() != nullptr, "still being handled");
  }
  run.require(std::current_exception() == nullptr, "handled");
}

struct throws_when_destroyed_switches {
  atomic<int>& steps;
  ~throws_when_destroyed_switches() {
    steps.fetch_add(1);  // a visible operation while the stack unwinds
    steps.fetch_add(1);
  }
};

}  // namespace

TEST_CASE("an exception that leaves a task is a violation that names the task and the exception") {
  const kvrace::result found = sample([](kvrace::run& run) {
    run.spawn("worker", [] { throw std::runtime_error("out of blocks, and other things that take a long sentence to say"); });
    run.join_all();
  });
  CHECK(outcome(found) == "escaping_exception");
  CHECK(contains(message(found), "out of blocks, and other things that take a long sentence to say"));
  REQUIRE(found.findings.size() == 1);
  CHECK(found.findings.front().subject == "task 'worker'");
}

TEST_CASE("an exception that is no std::exception is a violation too") {
  CHECK(contains(message(run_once([](kvrace::run& run) {
                   run.spawn("worker", [] { throw 5; });
                   run.join_all();
                 })),
                 "no std::exception"));
}

TEST_CASE("an exception that leaves the body is a violation") {
  const kvrace::result found = run_once([](kvrace::run& run) {
    run.spawn("task", [] {});
    throw std::runtime_error("set-up failed");
  });
  CHECK(outcome(found) == "escaping_exception");
  CHECK(contains(message(found), "an exception left the body: set-up failed"));
  CHECK(contains(message(run_once([](kvrace::run&) { throw 5; })), "no std::exception"));
}

TEST_CASE("an exception caught within its task is nobody else's business") {
  CHECK(outcome(explore([](kvrace::run& run) {
          atomic<int> caught(0);
          const auto task = [&] {
            try {
              caught.fetch_add(1);
              throw std::runtime_error("inside");
            } catch (const std::runtime_error& error) {
              run.require(std::string(error.what()) == "inside", "the one thrown here");
              caught.fetch_add(1);
            }
          };
          both(run, task, task);
          run.require(caught.load() == 4, "both were caught");
        })) == "PROVED");
}

TEST_CASE("exceptions being handled in several tasks at once survive switches between them") {
  for (const unsigned tasks : {2U, 3U, 8U}) {
    const kvrace::result found = kvrace::check({.strategy = kvrace::random_walk(0.7), .runs = 2000}, [tasks](kvrace::run& run) {
      atomic<int> steps(0);
      for (unsigned i = 0; i < tasks; ++i) run.spawn("task", [&, i] { hold_exception(run, steps, static_cast<int>(i)); });
      run.join_all();
    });
    INFO(found);
    CHECK(found.passed());
  }
}

TEST_CASE("the body handles an exception while tasks handle theirs") {
  const kvrace::result found = kvrace::check({.strategy = kvrace::random_walk(0.7), .runs = 500}, [](kvrace::run& run) {
    atomic<int> steps(0);
    for (int i = 0; i < 2; ++i) run.spawn("task", [&, i] { hold_exception(run, steps, i); });
    try {
      throw std::runtime_error("of the body");
    } catch (const std::runtime_error& error) {
      steps.fetch_add(1);
      run.join_all();
      run.require(std::string(error.what()) == "of the body", "its own");
    }
    run.require(std::current_exception() == nullptr, "handled");
  });
  INFO(found);
  CHECK(found.passed());
}

TEST_CASE("nested exceptions come back in order after switches inside every handler") {
  const kvrace::result found = kvrace::check({.strategy = kvrace::random_walk(0.7), .runs = 1000}, [](kvrace::run& run) {
    atomic<int> steps(0);
    const auto nest = [&run, &steps](int id) {
      std::function<void(int)> deeper = [&](int depth) {
        try {
          throw id * 10 + depth;
        } catch (int outer) {
          steps.fetch_add(1);
          if (depth < 3) deeper(depth + 1);
          steps.fetch_add(1);
          run.require(outer == id * 10 + depth, "the handler's own");
          try {
            throw;
          } catch (int again) {
            run.require(again == outer, "rethrow gives the innermost one being handled");
          }
        }
      };
      deeper(0);
    };
    for (int id = 1; id <= 3; ++id) run.spawn("task", [&nest, id] { nest(id); });
    run.join_all();
  });
  INFO(found);
  CHECK(found.passed());
}

TEST_CASE("switches while a stack unwinds leave every exception with its task") {
  const kvrace::result found = kvrace::check({.strategy = kvrace::random_walk(0.7), .runs = 1000}, [](kvrace::run& run) {
    atomic<int> steps(0);
    mutex m;
    for (int id = 0; id < 3; ++id)
      run.spawn("task", [&, id] {
        run.require(std::uncaught_exceptions() == 0, "none at the start");
        try {
          throws_when_destroyed_switches outer{steps};
          kvrace::lock_guard lock(m);
          throws_when_destroyed_switches inner{steps};
          throw id;
        } catch (int caught) {
          run.require(std::uncaught_exceptions() == 0, "caught");
          run.require(caught == id, "its own");
        }
      });
    run.join_all();
    run.require(steps.load() == 12, "all destructors ran");
  });
  INFO(found);
  CHECK(found.passed());
}

TEST_CASE("an exception can be passed from one task to another") {
  CHECK(outcome(explore([](kvrace::run& run) {
          std::exception_ptr passed;
          atomic<bool> ready(false);
          both(
              run,
              [&] {
                try {
                  throw std::runtime_error("from the first");
                } catch (...) {
                  passed = std::current_exception();
                  ready.store(true);
                  ready.store(true);
                }
              },
              [&] {
                if (!ready.load()) return;
                try {
                  std::rethrow_exception(passed);
                } catch (const std::runtime_error& error) {
                  run.require(std::string(error.what()) == "from the first", "the same");
                }
              });
        })) == "PROVED");
}

TEST_CASE("a run that ends inside a handler leaves no exception to the next run") {
  // The same places are used again by the tasks of the next run.
  const auto ends_inside = [](bool in_body, bool while_unwinding) {
    return [=](kvrace::run& run) {
      struct fails {
        kvrace::run& run;
        ~fails() { run.require(false, "while the stack unwinds"); }
      };
      const auto act = [&run, while_unwinding] {
        try {
          if (while_unwinding) {
            fails destroyed{run};
            throw 1;
          }
          throw 2;
        } catch (int) {
          run.require(false, "inside a handler");
        }
      };
      if (in_body) {
        act();
      } else {
        run.spawn("task", act);
        run.spawn("task", act);
        run.join_all();
      }
    };
  };
  const auto starts_clean = [](kvrace::run& run) {
    const auto clean = [&run] {
      run.require(std::current_exception() == nullptr, "nothing is being handled");
      run.require(std::uncaught_exceptions() == 0, "nothing is in flight");
    };
    clean();
    for (int i = 0; i < 4; ++i) run.spawn("task", clean);
    run.join_all();
    clean();
  };
  for (const bool in_body : {false, true})
    for (const bool while_unwinding : {false, true}) {
      INFO("body: " << in_body << ", unwinding: " << while_unwinding);
      CHECK(outcome(sample(ends_inside(in_body, while_unwinding))) == "requirement");
      CHECK(std::current_exception() == nullptr);
      CHECK(std::uncaught_exceptions() == 0);
      const kvrace::result after = run_once(starts_clean);
      INFO(after);
      CHECK(after.passed());
    }
}

TEST_CASE("a deadlock inside handlers leaves no exception to the next run") {
  const auto stuck = [](kvrace::run& run) {
    mutex m;
    m.lock();
    for (int i = 0; i < 3; ++i)
      run.spawn("task", [&] {
        try {
          throw 1;
        } catch (int) {
          m.lock();
        }
      });
    run.join_all();
  };
  CHECK(outcome(sample(stuck)) == "deadlock");
  const kvrace::result after = run_once([](kvrace::run& run) {
    for (int i = 0; i < 3; ++i)
      run.spawn("task", [&] { run.require(std::current_exception() == nullptr, "nothing is being handled"); });
    run.join_all();
  });
  INFO(after);
  CHECK(after.passed());
}

TEST_CASE("an exception being handled where check() is called is still there afterwards") {
  for (const bool violation : {false, true}) {
    try {
      throw std::runtime_error("of the caller");
    } catch (const std::runtime_error& error) {
      const kvrace::result found = sample([violation](kvrace::run& run) {
        run.spawn("task", [&] { run.require(!violation, "as asked"); });
        run.join_all();
      });
      CHECK(outcome(found) == (violation ? "requirement" : "NOT_FOUND"));
      CHECK(std::string(error.what()) == "of the caller");
      REQUIRE(std::current_exception() != nullptr);
      CHECK_THROWS_AS(std::rethrow_exception(std::current_exception()), std::runtime_error);
    }
    CHECK(std::current_exception() == nullptr);
  }
}

TEST_CASE("a race in a task that once ended a run while unwinding is still found") {
  // What unwinds hides races; a task must not start with the unwinding of a former run.
  (void)run_once([](kvrace::run& run) {
    struct fails {
      kvrace::run& run;
      ~fails() { run.require(false, "while the stack unwinds"); }
    };
    run.spawn("task", [&] {
      fails destroyed{run};
      throw 1;
    });
    run.join_all();
  });
  const kvrace::result found = run_once([](kvrace::run& run) {
    kvrace::var<int> data(0);
    both(run, [&] { data.store(1); }, [&] { data.store(2); });
  });
  CHECK(outcome(found) == "data_race");
}
