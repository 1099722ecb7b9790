#include "app/features/fragment/proofs.h"

#include <algorithm>
#include <tuple>

namespace tilescope {

void keep_proof(Proofs& proofs, worker::Proof proof) {
  std::vector<worker::Proof>& all = proofs.known[proof.atom];
  const auto same = std::find_if(
      all.begin(), all.end(), [&](const worker::Proof& old) { return old.device == proof.device; });
  if (same == all.end()) {
    all.push_back(std::move(proof));
  } else if (proof.date >= same->date) {
    *same = std::move(proof);
  }
  const auto rank = [](const worker::Proof& p) {
    return std::tuple(!p.ok, p.device != "emulator", p.date);
  };
  std::stable_sort(all.begin(), all.end(), [&](const worker::Proof& a, const worker::Proof& b) {
    return rank(a) > rank(b);
  });
}

const std::vector<worker::Proof>& proofs_of(const Proofs& proofs, const std::string& atom) {
  static const std::vector<worker::Proof> none;
  const auto found = proofs.known.find(atom);
  return found == proofs.known.end() ? none : found->second;
}

}  // namespace tilescope
