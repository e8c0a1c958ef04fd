// The values come from CMakeLists.txt.
#include "reports/report.h"

namespace kvrace::reports {

build_fingerprint this_build() {
  return {.project_version = KVRACE_PROJECT_VERSION,
          .compiler = KVRACE_COMPILER,
          .build_type = KVRACE_BUILD_TYPE,
          .target = KVRACE_TARGET};
}

}  // namespace kvrace::reports
