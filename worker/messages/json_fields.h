// How a plain struct becomes JSON and comes back: one line in a .cpp names its members, each of
// which is a field of the same name. For those .cpp files alone, since it needs all of the JSON
// library.
//
//   TILESCOPE_JSON(KnownResult, NEED(request, date) MAY(arch, revision) SPARSE(older, spread))
//
// NEED must be there when it is read. MAY can be missing, and is then what a fresh struct has.
// SPARSE is MAY that is written only where it differs from a fresh struct's, NULLED one that is
// null where it does not. PART is a struct whose
// fields stand among the others. An optional that is empty is null, or left out if SPARSE; null and
// left out are read alike. NaN and infinity, which JSON lacks, travel as null.
#pragma once
#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "worker/messages/whole_number.h"

namespace tilescope::worker {

template <class T>
void put_field(nlohmann::json& to, const T& value) {
  to = value;
}
inline void put_field(nlohmann::json& to, double value) {
  to = std::isfinite(value) ? nlohmann::json(value) : nlohmann::json();
}
template <class T>
void put_field(nlohmann::json& to, const std::optional<T>& value) {
  if (value) {
    put_field(to, *value);
  } else {
    to = nullptr;
  }
}

/// `name`: of the field, for the sentence about a number that its type does not hold.
template <class T>
void take_field(const nlohmann::json& from, const char*, T& value) {
  from.get_to(value);
}
template <Whole T>
void take_field(const nlohmann::json& from, const char* name, T& value) {
  if (!from.is_number() && !from.is_boolean()) return void(from.get_to(value));  // which throws
  value = whole_number<T>(from, name);
}
inline void take_field(const nlohmann::json& from, const char*, double& value) {
  value = from.is_null() ? std::numeric_limits<double>::quiet_NaN() : from.get<double>();
}
inline void take_field(const nlohmann::json& from, const char* name, std::byte& value) {
  uint8_t number = 0;
  take_field(from, name, number);
  value = static_cast<std::byte>(number);
}
// Each with the numbers in it; declared before they are defined, since one may hold another.
template <class T, size_t N>
void take_field(const nlohmann::json& from, const char* name, std::array<T, N>& value);
template <class T>
void take_field(const nlohmann::json& from, const char* name, std::map<std::string, T>& value);
template <class T>
void take_field(const nlohmann::json& from, const char* name, std::vector<T>& value);
template <class A, class B>
void take_field(const nlohmann::json& from, const char* name, std::pair<A, B>& value);
template <class T>
void take_field(const nlohmann::json& from, const char* name, std::optional<T>& value);

template <class T, size_t N>
void take_field(const nlohmann::json& from, const char* name, std::array<T, N>& value) {
  for (size_t i = 0; i < N; ++i) take_field(from.at(i), name, value[i]);
}
template <class T>
void take_field(const nlohmann::json& from, const char* name, std::map<std::string, T>& value) {
  value.clear();
  for (const auto& [key, element] : from.get_ref<const nlohmann::json::object_t&>()) {
    take_field(element, name, value[key]);
  }
}
template <class T>
void take_field(const nlohmann::json& from, const char* name, std::vector<T>& value) {
  value.clear();
  for (const nlohmann::json& element : from.get_ref<const nlohmann::json::array_t&>()) {
    take_field(element, name, value.emplace_back());
  }
}
template <class A, class B>
void take_field(const nlohmann::json& from, const char* name, std::pair<A, B>& value) {
  take_field(from.at(0), name, value.first);
  take_field(from.at(1), name, value.second);
}
template <class T>
void take_field(const nlohmann::json& from, const char* name, std::optional<T>& value) {
  value.reset();
  if (from.is_null()) return;
  T inner{};
  take_field(from, name, inner);
  value = std::move(inner);
}

template <class T>
bool is_usual(const T& value, const T& usual) {
  return value == usual;
}
template <class T>
bool is_usual(const std::optional<T>& value, const std::optional<T>&) {
  return !value;
}

/// The fields of an object, written. What stands in it stays: a struct may be a part of another.
class FieldWriter {
 public:
  explicit FieldWriter(nlohmann::json& to) : to_(to) {
    if (!to_.is_object()) to_ = nlohmann::json::object();
  }
  template <class T>
  void need(const char* name, const T& value) {
    put_field(to_[name], value);
  }
  template <class T>
  void may(const char* name, const T& value, const T&) {
    put_field(to_[name], value);
  }
  template <class T>
  void sparse(const char* name, const T& value, const T& usual) {
    if (!is_usual(value, usual)) put_field(to_[name], value);
  }
  template <class T>
  void nulled(const char* name, const T& value, const T& usual) {
    put_field(to_[name], is_usual(value, usual) ? std::optional<T>() : std::optional<T>(value));
  }
  template <class T>
  void part(const T& value) {
    to_json(to_, value);
  }

 private:
  nlohmann::json& to_;
};

class FieldReader {
 public:
  explicit FieldReader(const nlohmann::json& from) : from_(from) {}
  template <class T>
  void need(const char* name, T& value) {
    take_field(from_.at(name), name, value);
  }
  template <class T>
  void may(const char* name, T& value, const T& usual) {
    const auto found = from_.find(name);
    if (found == from_.end()) {
      value = usual;
    } else {
      take_field(*found, name, value);
    }
  }
  template <class T>
  void sparse(const char* name, T& value, const T& usual) {
    may(name, value, usual);
  }
  template <class T>
  void nulled(const char* name, T& value, const T& usual) {
    const auto found = from_.find(name);
    if (found == from_.end() || found->is_null()) {
      value = usual;
    } else {
      take_field(*found, name, value);
    }
  }
  template <class T>
  void part(T& value) {
    from_json(from_, value);
  }

 private:
  const nlohmann::json& from_;
};

}  // namespace tilescope::worker

#define TILESCOPE_NEED_ONE(member) fields.need(#member, self.member);
#define TILESCOPE_MAY_ONE(member) fields.may(#member, self.member, usual.member);
#define TILESCOPE_SPARSE_ONE(member) fields.sparse(#member, self.member, usual.member);
#define TILESCOPE_NULLED_ONE(member) fields.nulled(#member, self.member, usual.member);
#define TILESCOPE_PART_ONE(member) fields.part(self.member);

#define NEED(...) NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(TILESCOPE_NEED_ONE, __VA_ARGS__))
#define MAY(...) NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(TILESCOPE_MAY_ONE, __VA_ARGS__))
#define SPARSE(...) NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(TILESCOPE_SPARSE_ONE, __VA_ARGS__))
#define NULLED(...) NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(TILESCOPE_NULLED_ONE, __VA_ARGS__))
#define PART(...) NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(TILESCOPE_PART_ONE, __VA_ARGS__))

/// Defines to_json() and from_json(), which a header declares. What else is to be done to `self`
/// when it has been read may follow.
#define TILESCOPE_JSON(Type, members, ...)                                        \
  void to_json(nlohmann::json& json_value, [[maybe_unused]] const Type& self) {   \
    tilescope::worker::FieldWriter fields(json_value);                            \
    [[maybe_unused]] const Type usual{};                                          \
    members                                                                       \
  }                                                                               \
  void from_json(const nlohmann::json& json_value, [[maybe_unused]] Type& self) { \
    tilescope::worker::FieldReader fields(json_value);                            \
    [[maybe_unused]] const Type usual{};                                          \
    members __VA_ARGS__;                                                          \
  }

/// The same for a struct whose forms are needed in one .cpp alone.
#define TILESCOPE_JSON_HERE(Type, members)      \
  void to_json(nlohmann::json&, const Type&);   \
  void from_json(const nlohmann::json&, Type&); \
  TILESCOPE_JSON(Type, members)
