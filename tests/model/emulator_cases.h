// The two witnesses: what the model derives from the layout functions is what the emulator counts
// when it runs every CTA of the kernel's own PTX.
//
// Equal are CTAs, mma, fma of lanes, requests, sectors and bytes of global loads and stores, and
// requests, wavefronts, ideal wavefronts and bytes of shared loads, stores and cp.async, since the
// PTX keeps each of these accesses as it is written. What people are shown of them carries a mark
// (Formula::exact, MemoryLevel::exact): where it says exact the figures must be equal, else within
// kMarkedShare. Looks at a counter in vain are in no count, as the model has none; L2 and DRAM, the
// cycles of the L1 and loads as the assembler joins them are no matter of PTX.
#pragma once
#include <string>
#include <vector>

#include "kernels/registry.h"
#include "worker/engine/compile/compiler.h"

namespace tilescope::model {

inline constexpr double kMarkedShare = 0.03;

struct EmulatedCase {
  worker::KernelRequest request;
  std::string drawn;  // what it can be drawn from again; empty if it is not random
};

/// Random legal tiles over all of a kernel's sliders, each on kShapes problems made to its measure:
/// whole tiles, ragged ones, ragged ones that wide accesses fit, few rows, much of k; each in a
/// layout, types, order of C, alpha, beta, lines apart and offset that the kernel takes, on a card
/// of a few SMs. The same for the same seed, on any machine.
inline constexpr int kShapes = 5;
std::vector<EmulatedCase> random_emulated_cases(const KernelEntry& kernel, int tiles,
                                                unsigned seed);

/// Fails the test with all that the case is made of; skips it where there is no NVRTC.
void expect_model_equals_emulator(const EmulatedCase& one, worker::Compiler& compiler);

}  // namespace tilescope::model
