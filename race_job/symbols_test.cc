// Where reports say that something is.
#include "race_job/symbols.h"

#include <catch2/catch.hpp>

namespace kvrace::race_job {

TEST_CASE("sources have the path that the project knows them by, wherever it is built") {
  CHECK(project_path("build/tsan/cache_model/keys.cc:10", "/anywhere/kvrace/build/tsan/") == "cache_model/keys.cc:10");
  CHECK(project_path("build/tsan/build/tsan/cache_model/keys.cc:10", "/anywhere/kvrace/build/tsan/") == "cache_model/keys.cc:10");
  CHECK(project_path("/anywhere/cache_model/keys.cc:10", "/anywhere/") == "cache_model/keys.cc:10");
  CHECK(project_path("cache_model/keys.cc:10", "/anywhere/kvrace/build/tsan/") == "cache_model/keys.cc:10");
  CHECK(project_path("/usr/include/c++/12/vector:1", "/anywhere/kvrace/build/tsan/") == "/usr/include/c++/12/vector:1");
  CHECK(project_path("??:?", "/anywhere/kvrace/build/tsan/") == "??:?");
}

}  // namespace kvrace::race_job
