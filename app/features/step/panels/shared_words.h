// What the Shared memory panel draws of a place where the run was stopped, word by word.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "app/features/step/step_view.h"
#include "app/features/step/step_words.h"

namespace tilescope::widgets {

/// Four bytes of shared memory from byte `at` on; 0 beyond its end.
uint32_t word_at(const std::vector<std::byte>& bytes, int at);

/// The largest magnitude in a word.
double magnitude(const SharedForm& form, uint32_t word);

/// Made once for each place and form.
struct SharedWords {
  std::shared_ptr<const worker::StepAnswer> of;
  int form = -1;
  double most = 0;                   // magnitude
  std::array<int8_t, 65536> lane{};  // by word: the lowest lane that accesses it next, −1: none
  std::vector<bool> changed;         // by word: by the last motion
  int first_accessed = -1;           // byte
};
const SharedWords& shared_words(const StepView& view, const SharedForm& form);

}  // namespace tilescope::widgets
