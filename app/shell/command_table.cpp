#include <algorithm>
#include <cstdio>
#include <utility>

#include "app/window_command.h"

namespace tilescope {

void CommandTable::add(std::vector<Command> commands) {
  for (Command& command : commands) {
    if (find(command.id)) {
      std::fprintf(stderr, "tilescope: command %s is defined twice\n", command.id.c_str());
      continue;
    }
    commands_.push_back(std::move(command));
  }
}

const Command* CommandTable::find(const std::string& id) const {
  const auto found = std::ranges::find(commands_, id, &Command::id);
  return found == commands_.end() ? nullptr : &*found;
}

void CommandTable::run_pending(AppContext& context) {
  // A command may ask for another one: that one runs next time.
  for (const std::string& id : std::exchange(pending_, {})) {
    const Command* command = find(id);
    if (command && (!command->enabled || command->enabled(context))) command->run(context);
  }
}

}  // namespace tilescope
