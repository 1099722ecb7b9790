// Lets features keep parts of their own in a value of the core (the state, the edit). Each part is
// a type that only its feature knows. A part that was never touched has its type's default value.
#pragma once
#include <any>
#include <map>
#include <typeindex>

namespace tilescope {

class Slices {
 public:
  /// T can be copied and made of nothing.
  template <class T>
  T& of() {
    std::any& part = parts_[typeid(T)];
    if (!part.has_value()) part.emplace<T>();
    return *std::any_cast<T>(&part);
  }
  template <class T>
  const T& of() const {
    static const T untouched{};
    const auto part = parts_.find(typeid(T));
    return part == parts_.end() ? untouched : *std::any_cast<T>(&part->second);
  }

 private:
  std::map<std::type_index, std::any> parts_;
};

}  // namespace tilescope
