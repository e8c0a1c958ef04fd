// How alike two texts are, in the form of BERTScore (Zhang et al., 2020, without its weights and rescaling): each token of one is
// compared with the most similar one of the other. Its vectors come from a language model; here they are drawn from a seed and
// the token, so that the form is the same and no figure can be compared with a published one.
//
// A token's unit vector has 64 components, 1/8 or -1/8 each, so that every product is a count of equal signs: integers only, the
// same bits everywhere.
#pragma once

#include <cstdint>
#include <span>

#include "cache_model/monitor/counters.h"

namespace kvrace::monitor {

// The signs of the components. Different tokens have different vectors.
[[nodiscard]] std::uint64_t token_signs(std::uint64_t seed, std::uint32_t token);

// 64 times the product of two unit vectors: from -64 to 64, and 64 only of a vector with itself.
[[nodiscard]] int product(std::uint64_t signs, std::uint64_t other_signs);

// F1 = 2PR/(P+R) in units of similarity_one, rounded down: recall R is the mean over the reference's tokens of their greatest
// product with one of the candidate's, precision P the same over the candidate's. A product below 0 counts as 0. The same text
// gives exactly similarity_one; an empty text and another that is not give 0.
[[nodiscard]] std::uint64_t similarity(std::uint64_t seed, std::span<const std::uint32_t> reference,
                                       std::span<const std::uint32_t> candidate);

}  // namespace kvrace::monitor
