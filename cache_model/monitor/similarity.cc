#include "cache_model/monitor/similarity.h"

#include <algorithm>
#include <bit>
#include <vector>

namespace kvrace::monitor {
namespace {

constexpr int dimensions = 64;
__extension__ using wide = unsigned __int128;

// 64 times the sum over `of` of the greatest product with one of `others`.
std::uint64_t greatest_products(const std::vector<std::uint64_t>& of, const std::vector<std::uint64_t>& others) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < of.size(); ++i) {
    // Mostly the same token stands at the same place.
    int greatest = i < others.size() && others[i] == of[i] ? dimensions : 0;
    for (std::size_t j = 0; j < others.size() && greatest < dimensions; ++j)
      greatest = std::max(greatest, product(of[i], others[j]));
    sum += static_cast<std::uint64_t>(greatest);
  }
  return sum;
}

std::vector<std::uint64_t> signs_of(std::uint64_t seed, std::span<const std::uint32_t> tokens) {
  std::vector<std::uint64_t> signs(tokens.size());
  std::transform(tokens.begin(), tokens.end(), signs.begin(), [&](std::uint32_t token) { return token_signs(seed, token); });
  return signs;
}

}  // namespace

// One step of splitmix64 (Vigna): a bijection of what it is given.
std::uint64_t token_signs(std::uint64_t seed, std::uint32_t token) {
  std::uint64_t mixed = seed + (std::uint64_t{token} + 1) * 0x9e3779b97f4a7c15u;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
  return mixed ^ (mixed >> 31);
}

int product(std::uint64_t signs, std::uint64_t other_signs) { return dimensions - 2 * std::popcount(signs ^ other_signs); }

std::uint64_t similarity(std::uint64_t seed, std::span<const std::uint32_t> reference, std::span<const std::uint32_t> candidate) {
  if (std::equal(reference.begin(), reference.end(), candidate.begin(), candidate.end())) return similarity_one;
  const std::vector<std::uint64_t> x = signs_of(seed, reference);
  const std::vector<std::uint64_t> y = signs_of(seed, candidate);
  const std::uint64_t recalled = greatest_products(x, y);
  const std::uint64_t precise = greatest_products(y, x);
  // R = recalled / 64n and P = precise / 64m.
  const wide whole =
      static_cast<wide>(dimensions) * (static_cast<wide>(precise) * x.size() + static_cast<wide>(recalled) * y.size());
  if (whole == 0) return 0;
  return static_cast<std::uint64_t>(static_cast<wide>(2) * precise * recalled * similarity_one / whole);
}

}  // namespace kvrace::monitor
