// The sentences that are made in English elsewhere and shown in the window, with {} where values
// stand: messages as any other, so that a language has them. Each is made by the source that it is
// listed by; tools/languages --check sees that it still is.
#pragma once
#include <span>

namespace tilescope {

struct Told {
  const char* english;
};
/// `parts` stand inside of sentences alone: "a write", "another lane".
struct ToldList {
  std::span<const Told> sentences, parts;
};

ToldList told_by_emulator();
ToldList told_by_origins();
ToldList told_by_worker();
ToldList told_by_card();
ToldList told_by_files();
ToldList told_by_sheets();
ToldList told_by_ptx();
ToldList told_by_tensor_maps();
ToldList told_by_steps();
ToldList told_by_probes();

}  // namespace tilescope
