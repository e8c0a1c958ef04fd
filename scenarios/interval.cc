#include "scenarios/interval.h"

#include <cmath>
#include <numbers>

namespace kvrace::scenarios {
namespace {

// The mass between -t and t: Abramowitz and Stegun, 26.7.3 and 26.7.4.
double student_mass(double t, std::size_t degrees) {
  const auto nu = static_cast<double>(degrees);
  const double sine = t / std::sqrt(nu + t * t);
  const double cosine = std::sqrt(nu / (nu + t * t));
  const bool odd = degrees % 2 == 1;
  double term = odd ? cosine : 1;
  double sum = 0;
  for (std::size_t k = odd ? 3 : 2; k <= degrees; k += 2) {
    sum += term;
    const auto next = static_cast<double>(k);
    term *= (next - 1) / next * cosine * cosine;
  }
  if (!odd) return sine * sum;
  return 2 / std::numbers::pi * (std::atan(t / std::sqrt(nu)) + sine * sum);
}

}  // namespace

double student_t_95(std::size_t degrees) {
  double low = 0;
  double high = 13;  // one degree of freedom has the largest, 12.7
  for (int step = 0; step < 60; ++step) {
    const double middle = (low + high) / 2;
    (student_mass(middle, degrees) < 0.95 ? low : high) = middle;
  }
  return (low + high) / 2;
}

interval mean_with_interval(std::span<const double> values) {
  const auto count = static_cast<double>(values.size());
  double sum = 0;
  for (const double each : values) sum += each;
  const double mean = sum / count;
  if (values.size() < 2) return {mean, mean, mean};
  double squares = 0;
  for (const double each : values) squares += (each - mean) * (each - mean);
  const double half = student_t_95(values.size() - 1) * std::sqrt(squares / (count - 1) / count);
  return {mean, mean - half, mean + half};
}

}  // namespace kvrace::scenarios
