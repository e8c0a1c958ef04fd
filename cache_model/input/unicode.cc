// The only file that knows the Unicode library: utf8proc 2.8 has the data of Unicode 15.0.
#include <utf8proc.h>

#include "cache_model/input/clusters.h"
#include "cache_model/input/sanitizer.h"

namespace kvrace::cache {

bool cluster_splitter::breaks_before(std::uint32_t code_point) {
  return utf8proc_grapheme_break_stateful(static_cast<utf8proc_int32_t>(held_.text.back()),
                                          static_cast<utf8proc_int32_t>(code_point), &state_);
}

bool is_decimal_digit(std::uint32_t code_point) {
  if (code_point < 0x80) return code_point >= '0' && code_point <= '9';
  return utf8proc_category(static_cast<utf8proc_int32_t>(code_point)) == UTF8PROC_CATEGORY_ND;
}

bool is_word_character(std::uint32_t code_point) {
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(code_point))) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO: return true;
    default: return code_point == '_';
  }
}

}  // namespace kvrace::cache
