// The Web Workers of a page: all run the engine, each one call at a time.
#pragma once
#include <string_view>

namespace tilescope::web {

struct PageRole {
  /// As worker/messages/roles.h names a process, or the page's own.
  std::string_view name;
  /// A browser's few processors are those' first that lead to steps.
  bool after_steps;
};
inline constexpr std::string_view kEmulator = "emulator", kCompiler = "compiler", kStore = "store",
                                  kPlanner = "planner";  // what elsewhere is the window's thread
inline constexpr PageRole kPageRoles[] = {
    {kEmulator, false}, {kCompiler, false}, {kStore, true}, {kPlanner, true}};

}  // namespace tilescope::web
