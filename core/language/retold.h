// Sentences that were made elsewhere in English, said in the chosen language where they are shown:
// the worker, the emulator and what reads sheets know no language, and their sentences are built of
// parts. Each form that they have is a message (told.h); a sentence is matched with them, and what
// stands for its values is retold in turn. What has no form stays as it is.
#pragma once
#include <string>
#include <string_view>

namespace tilescope {

/// A message, or a sentence of elsewhere, in the chosen language. Threads: any.
std::string retold(std::string_view english);
/// The same for what is said in each frame: what stays as it is, as all is in English, is not
/// copied, and `room` holds what does not.
std::string_view retold(std::string_view english, std::string& room);

}  // namespace tilescope
