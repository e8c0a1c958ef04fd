// The models, by id. Each is one file, and one line here and in corpus.cc.
#pragma once

#include "corpus/bug.h"

namespace kvrace::corpus {

extern const bug b01, b02, b03, b06, b10, b11, b13, b22, b25, b26, b29, b34, b39, b43, b46, b47, b51, b58, b59, b62, b70, b76,
    b78, b81, b82;

}  // namespace kvrace::corpus
