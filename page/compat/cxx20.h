// What libc++ 13, emscripten 3.1.6's, lacks of C++20 and this tree uses: read before each file of a
// build for WebAssembly. Goes when that emscripten does.
#pragma once
#ifdef __cplusplus
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <random>
#include <string>
#include <type_traits>
#include <utility>

namespace tilescope_compat {

struct Same {
  template <class T>
  constexpr T&& operator()(T&& value) const {
    return static_cast<T&&>(value);
  }
};
struct Less {
  template <class A, class B>
  constexpr bool operator()(const A& a, const B& b) const {
    return a < b;
  }
};
/// `compare` of what `projection` makes of two elements.
template <class Compare, class Projection>
constexpr auto projected(Compare& compare, Projection& projection) {
  return [&](auto&& a, auto&& b) -> bool {
    return std::invoke(compare, std::invoke(projection, a), std::invoke(projection, b));
  };
}
/// `predicate` of what `projection` makes of one.
template <class Predicate, class Projection>
constexpr auto of_projected(Predicate& predicate, Projection& projection) {
  return [&](auto&& x) -> bool { return std::invoke(predicate, std::invoke(projection, x)); };
}

}  // namespace tilescope_compat

namespace std {

template <class To, class From>
constexpr To bit_cast(const From& from) noexcept {
  return __builtin_bit_cast(To, from);
}

namespace ranges {
namespace compat = ::tilescope_compat;

#define TILESCOPE_OF_PREDICATE(name)                                          \
  template <class R, class F, class P = compat::Same>                         \
  constexpr auto name(R&& r, F f, P p = {}) {                                 \
    return std::name(std::begin(r), std::end(r), compat::of_projected(f, p)); \
  }
TILESCOPE_OF_PREDICATE(all_of)
TILESCOPE_OF_PREDICATE(any_of)
TILESCOPE_OF_PREDICATE(none_of)
TILESCOPE_OF_PREDICATE(count_if)
TILESCOPE_OF_PREDICATE(find_if)
#undef TILESCOPE_OF_PREDICATE

#define TILESCOPE_OF_ORDER(name)                                           \
  template <class R, class C = compat::Less, class P = compat::Same>       \
  constexpr auto name(R&& r, C c = {}, P p = {}) {                         \
    return std::name(std::begin(r), std::end(r), compat::projected(c, p)); \
  }
TILESCOPE_OF_ORDER(sort)
TILESCOPE_OF_ORDER(stable_sort)
TILESCOPE_OF_ORDER(is_sorted)
TILESCOPE_OF_ORDER(max_element)
TILESCOPE_OF_ORDER(min_element)
#undef TILESCOPE_OF_ORDER

template <class R, class T, class P = compat::Same>
constexpr auto find(R&& r, const T& value, P p = {}) {
  return ranges::find_if(
      r, [&](auto&& x) { return x == value; }, p);
}
template <class R, class T, class P = compat::Same>
constexpr auto count(R&& r, const T& value, P p = {}) {
  return ranges::count_if(
      r, [&](auto&& x) { return x == value; }, p);
}
template <class R, class T, class C = compat::Less, class P = compat::Same>
constexpr auto lower_bound(R&& r, const T& value, C c = {}, P p = {}) {
  return std::lower_bound(std::begin(r), std::end(r), value, [&](auto&& x, const T& v) -> bool {
    return std::invoke(c, std::invoke(p, x), v);
  });
}
template <class R, class T, class C = compat::Less, class P = compat::Same>
constexpr auto upper_bound(R&& r, const T& value, C c = {}, P p = {}) {
  return std::upper_bound(std::begin(r), std::end(r), value, [&](const T& v, auto&& x) -> bool {
    return std::invoke(c, v, std::invoke(p, x));
  });
}
template <class R, class T, class C = compat::Less, class P = compat::Same>
constexpr bool binary_search(R&& r, const T& value, C c = {}, P p = {}) {
  const auto found = ranges::lower_bound(r, value, c, p);
  return found != std::end(r) && !std::invoke(c, value, std::invoke(p, *found));
}
template <class R, class O>
constexpr auto copy(R&& r, O out) {
  return std::copy(std::begin(r), std::end(r), out);
}
template <class R, class O, class F>
constexpr auto copy_if(R&& r, O out, F f) {
  return std::copy_if(std::begin(r), std::end(r), out, f);
}
template <class R, class O, class F>
constexpr auto transform(R&& r, O out, F f) {
  return std::transform(std::begin(r), std::end(r), out,
                        [&](auto&& x) { return std::invoke(f, x); });
}
template <class R, class T>
constexpr void replace(R&& r, const T& from, const T& to) {
  std::replace(std::begin(r), std::end(r), from, to);
}
template <class R, class T>
constexpr void fill(R&& r, const T& value) {
  std::fill(std::begin(r), std::end(r), value);
}
template <class R, class G>
void shuffle(R&& r, G&& random) {
  std::shuffle(std::begin(r), std::end(r), random);
}
template <class A, class B>
constexpr bool includes(A&& a, B&& b) {
  return std::includes(std::begin(a), std::end(a), std::begin(b), std::end(b));
}
template <class A, class B, class F = std::equal_to<>>
constexpr bool equal(A&& a, B&& b, F f = {}) {
  return std::equal(std::begin(a), std::end(a), std::begin(b), std::end(b), f);
}

}  // namespace ranges

/// Of floating point, where libc++ 13 has integers alone; of a decimal number without blanks.
template <class T>
enable_if_t<is_floating_point_v<T>, from_chars_result> from_chars(const char* first,
                                                                  const char* last, T& value) {
  const std::string text(first, last);
  const auto is_blank = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
  if (text.empty() || is_blank(text.front()) || text.front() == '+') {
    return {first, errc::invalid_argument};
  }
  char* end = nullptr;
  errno = 0;
  T read;
  if constexpr (is_same_v<T, float>) {
    read = std::strtof(text.c_str(), &end);
  } else {
    read = static_cast<T>(std::strtod(text.c_str(), &end));
  }
  if (end == text.c_str()) return {first, errc::invalid_argument};
  const char* stopped = first + (end - text.c_str());
  if (errno == ERANGE) return {stopped, errc::result_out_of_range};
  value = read;
  return {stopped, errc{}};
}

}  // namespace std
#endif
