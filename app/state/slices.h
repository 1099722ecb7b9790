// Parts of a value that belong to features: each is a type of its own, which only its feature and
// nobody here knows. A part that nobody has touched is as it starts.
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
