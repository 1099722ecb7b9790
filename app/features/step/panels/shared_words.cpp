#include "app/features/step/panels/shared_words.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace tilescope::widgets {

uint32_t word_at(const std::vector<std::byte>& bytes, int at) {
  uint32_t word = 0;
  const auto from = static_cast<size_t>(at);
  if (from < bytes.size()) {
    std::memcpy(&word, bytes.data() + from, std::min<size_t>(sizeof word, bytes.size() - from));
  }
  return word;
}

/// The largest magnitude in a word.
double magnitude(const SharedForm& form, uint32_t word) {
  const auto size = [](double value) { return std::isfinite(value) ? std::abs(value) : 0.0; };
  switch (form.form) {
    case NumberForm::f32: {
      float value = 0;
      std::memcpy(&value, &word, sizeof value);
      return size(static_cast<double>(value));
    }
    case NumberForm::f16:
      return std::max(size(static_cast<double>(half_value(static_cast<uint16_t>(word)))),
                      size(static_cast<double>(half_value(static_cast<uint16_t>(word >> 16)))));
    case NumberForm::bf16:
      return std::max(size(static_cast<double>(bfloat_value(static_cast<uint16_t>(word)))),
                      size(static_cast<double>(bfloat_value(static_cast<uint16_t>(word >> 16)))));
    case NumberForm::automatic:
    case NumberForm::integer:
    case NumberForm::hex:
      break;
  }
  return word == 0 ? 0 : 1;
}

const SharedWords& shared_words(const StepView& view, const SharedForm& form) {
  static const auto kept = std::make_unique<SharedWords>();
  SharedWords& p = *kept;
  const int chosen = static_cast<int>(form.form) * 16 + form.bytes;
  if (p.of == view.answer && p.form == chosen) return p;
  p.of = view.answer, p.form = chosen;
  p.most = 0;
  p.lane.fill(-1);
  p.first_accessed = -1;
  const emulator::StepState& s = view.answer->state;
  const int words = static_cast<int>((s.shared.size() + 3) / 4);
  p.changed.assign(static_cast<size_t>(words), false);
  const emulator::StepState* before = view.before ? &view.before->state : nullptr;
  const bool comparable = before && before->shared.size() == s.shared.size() &&
                          cta_name(before->cta) == cta_name(s.cta);
  for (int w = 0; w < words; ++w) {
    const uint32_t word = word_at(s.shared, 4 * w);
    p.most = std::max(p.most, magnitude(form, word));
    if (comparable && word_at(before->shared, 4 * w) != word) {
      p.changed[static_cast<size_t>(w)] = true;
    }
  }
  if (const auto access = shared_access(s)) {
    for (int lane = kWarpLanes - 1; lane >= 0; --lane) {
      if ((access->active >> lane & 1u) == 0) continue;
      const long long from = access->address[lane];
      for (long long w = from / 4; w <= (from + access->bytes - 1) / 4; ++w) {
        if (w >= 0 && w < static_cast<long long>(p.lane.size())) {
          p.lane[static_cast<size_t>(w)] = static_cast<int8_t>(lane);
        }
      }
      const int first = static_cast<int>(from);
      if (p.first_accessed < 0 || first < p.first_accessed) p.first_accessed = first;
    }
  }
  return p;
}

}  // namespace tilescope::widgets
