// What formulas are made of: products, which collect their symbols ("CTAs · slices"), their numbers
// ("64 · 16") and their value at once, and sums of such products.
#pragma once
#include <fmt/format.h>

#include "core/language/language.h"
#include "core/layout/packing.h"
#include "core/model/format.h"
#include "core/model/formulas.h"

namespace tilescope::model {

inline const char* unit_of(Count count) { return count == Count::bytes ? "B" : "elements"; }

/// A product in symbols and numbers at once.
class Product {
 public:
  Product& times(const std::string& symbol, long long value) {
    add(symbol, grouped(value), static_cast<double>(value));
    return *this;
  }
  /// A factor that is a sum or has a unit: its texts as given.
  Product& times(const std::string& symbol, const std::string& number, double value) {
    add(symbol, number, value);
    return *this;
  }
  /// The size of one element, where bytes are counted.
  Product& each(Count count, int bytes) {
    const std::string text = fmt::format("{} B", bytes);
    return count == Count::bytes ? times(text, text, bytes) : *this;
  }
  Formula as(const char* key, const char* title, const char* unit, bool exact) const {
    return {.key = key,
            .title = title,
            .symbols = symbols_,
            .numbers = numbers_,
            .value = value_,
            .unit = unit,
            .exact = exact};
  }
  Formula as(const char* key, const char* title, Count count, bool exact) const {
    return as(key, title, unit_of(count), exact);
  }

 private:
  void add(const std::string& symbol, const std::string& number, double value) {
    symbols_ += (symbols_.empty() ? "" : " · ") + symbol;
    numbers_ += (numbers_.empty() ? "" : " · ") + number;
    value_ *= value;
  }
  std::string symbols_, numbers_;
  double value_ = 1;
};
/// The sum of two formulas, under the key and title of the first.
inline Formula plus(Formula f, const Formula& more) {
  f.symbols += " + " + more.symbols;
  f.numbers += " + " + more.numbers;
  f.value += more.value;
  return f;
}
/// Adds `bytes` that are moved besides, called `what`; where elements are counted, elements of
/// `an_element` bytes.
inline Formula plus(Formula f, const char* what, double bytes, int an_element, Count count) {
  if (bytes == 0) return f;
  const double moved = bytes / (count == Count::bytes ? 1 : an_element);
  f.symbols += std::string(" + ") + tr(what);
  f.numbers += " + " + grouped(static_cast<long long>(moved));
  f.value += moved;
  return f;
}
/// Adds accumulators on their way to C, which are floats.
inline Formula plus_sums(Formula f, const char* what, uint64_t bytes, Count count) {
  return plus(std::move(f), what, static_cast<double>(bytes), 4, count);
}
/// Adds what is read of the bias.
inline Formula plus_bias(Formula f, double bytes, const Analysis& a, Count count) {
  return plus(std::move(f), tr("bias"), bytes, element_bytes(a.problem.type_c), count);
}
/// Adds what the pass that packs operands copies.
inline Formula plus_pass(Formula f, double bytes, const Analysis& a, Count count) {
  return plus(std::move(f), tr("packing"), bytes, element_bytes(a.problem.type_a), count);
}
inline double packed_size(const Analysis& a) { return a.traffic.packed_bytes; }

/// Formulas of what stays on an SM: registers, and shared memory where the plan uses it.
std::vector<Formula> on_chip_formulas(const Analysis& a, Count count);

}  // namespace tilescope::model
