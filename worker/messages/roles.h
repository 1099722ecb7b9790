// Who serves calls: the processes behind a client.
#pragma once

namespace tilescope::worker {

/// The processes behind the client that serve calls.
enum class Role { supervisor, compiler, emulator, card, counters, heuristics, store };
inline constexpr Role kRoles[] = {Role::supervisor, Role::compiler,   Role::emulator, Role::card,
                                  Role::counters,   Role::heuristics, Role::store};

/// Who serves a call: one of them, for most.
class Roles {
 public:
  constexpr Roles(Role role) : bits_(1u << static_cast<unsigned>(role)) {}
  constexpr bool has(Role role) const { return (bits_ & Roles(role).bits_) != 0; }
  constexpr bool operator==(const Roles&) const = default;
  friend constexpr Roles operator|(Roles a, Roles b) {
    a.bits_ |= b.bits_;
    return a;
  }

 private:
  unsigned bits_;
};
constexpr Roles operator|(Role a, Role b) { return Roles(a) | Roles(b); }

/// As which "device" a client names the process; null: by the name of the card that it is for.
constexpr const char* device_of(Role role) {
  switch (role) {
    case Role::supervisor:
      return "";
    case Role::compiler:
      return "compiler";
    case Role::emulator:
      return "emulator";
    case Role::heuristics:
      return "heuristics";
    case Role::store:
      return "store";
    case Role::card:
    case Role::counters:  // of a card, named by it
      return nullptr;
  }
  return nullptr;
}
/// The only one that serves the call; null: who asks names the device.
constexpr const char* only_device_of(Roles roles) {
  for (const Role role : kRoles) {
    if (roles == Roles(role)) return device_of(role);
  }
  return nullptr;
}

}  // namespace tilescope::worker
