// Jump tables, calls and returns of functions that were not inlined: each lane has a stack of its
// own, as lanes may be at different depths. What the caller still needs is kept there, since the
// function's registers may share its slots, in a recursion all of them.
#include <bit>

#include "emulator/run/cta.h"

namespace tilescope::emulator {
namespace {

constexpr size_t kMaxKept = 1u << 16;  // words per lane

}  // namespace

bool CtaRunner::spread(Warp& warp, const uint32_t* targets, uint32_t mask, uint32_t& b) {
  if (mask == 0) return false;
  bool uniform = true;
  const uint32_t first = targets[std::countr_zero(mask)];
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    uniform = uniform && targets[std::countr_zero(rest)] == first;
  }
  if (uniform && mask == context_.mask) {
    b = first;
    return true;
  }
  for (uint32_t rest = mask; rest != 0;) {
    const uint32_t target = targets[std::countr_zero(rest)];
    uint32_t same = 0;
    for (uint32_t i = 0; i < 32; ++i) same |= (targets[i] == target ? 1u : 0u) << i;
    same &= rest;
    rest &= ~same;
    push(warp, target, same);
  }
  return false;
}

bool CtaRunner::jump(Warp& warp, const Block& block, uint32_t mask, uint32_t& b) {
  const Inst& in = code_.instructions[block.end_inst];
  const uint32_t taken = guard_mask(block.guard, mask);
  if (taken != mask) push(warp, block.next, mask & ~taken);
  const uint32_t* index = reinterpret_cast<const uint32_t*>(warp.registers + in.r[0]);
  uint32_t targets[32] = {};
  for (uint32_t rest = taken; rest != 0; rest &= rest - 1) {
    const uint32_t lane = static_cast<uint32_t>(std::countr_zero(rest));
    if (index[lane] >= block.targets) {
      raise(in, Fault::Kind::unsupported, lane, index[lane],
            "brx.idx jumps with an index beyond its list of targets");
    }
    targets[lane] = code_.targets[block.first_target + index[lane]];
  }
  return spread(warp, targets, taken, b);
}

bool CtaRunner::call(Warp& warp, const Block& block, uint32_t mask, uint32_t& b) {
  const Inst& in = code_.instructions[block.end_inst];
  const CallSite& site = code_.calls[block.call];
  const bool by_address = block.target == 0;
  uint32_t targets[32] = {};
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const uint32_t lane = static_cast<uint32_t>(std::countr_zero(rest));
    targets[lane] = block.target;
    if (by_address) {
      const uint64_t address = reinterpret_cast<const uint64_t*>(warp.registers + in.r[0])[lane];
      const uint64_t index = (address - kFunctionWindow) / 16 - 1;
      if (address % 16 != 0 || index >= code_.functions.size() ||
          code_.functions[index] == 0xffffffffu) {
        raise(in, Fault::Kind::unsupported, lane, address,
              "calls an address at which there is no function with a body");
      }
      targets[lane] = code_.functions[index];
    }
    std::vector<uint64_t>& kept = warp.calls[lane];
    if (kept.size() > kMaxKept) {
      raise(in, Fault::Kind::unsupported, lane, 0, "nests its calls too deeply");
    }
    for (uint32_t slot : site.wide) {
      kept.push_back(reinterpret_cast<const uint64_t*>(warp.registers + slot)[lane]);
    }
    for (uint32_t slot : site.narrow) {
      kept.push_back(reinterpret_cast<const uint32_t*>(warp.registers + slot)[lane]);
    }
    for (uint32_t p : site.predicates) kept.push_back((warp.predicates[p] >> lane) & 1u);
    kept.push_back(static_cast<uint64_t>(&block - code_.blocks.data()));
  }
  return spread(warp, targets, mask, b);
}

bool CtaRunner::give_back(Warp& warp, const Block& block, uint32_t mask, uint32_t& b) {
  const uint32_t taken = guard_mask(block.guard, mask);
  if (taken != mask) push(warp, block.next, mask & ~taken);
  uint32_t targets[32] = {};
  for (uint32_t rest = taken; rest != 0; rest &= rest - 1) {
    const uint32_t lane = static_cast<uint32_t>(std::countr_zero(rest));
    std::vector<uint64_t>& kept = warp.calls[lane];
    auto take = [&] {
      const uint64_t v = kept.back();
      kept.pop_back();
      return v;
    };
    const Block& from = code_.blocks[take()];
    const CallSite& site = code_.calls[from.call];
    for (size_t i = site.predicates.size(); i-- > 0;) {
      uint32_t& p = warp.predicates[site.predicates[i]];
      p = (p & ~(1u << lane)) | static_cast<uint32_t>(take()) << lane;
    }
    for (size_t i = site.narrow.size(); i-- > 0;) {
      reinterpret_cast<uint32_t*>(warp.registers + site.narrow[i])[lane] =
          static_cast<uint32_t>(take());
    }
    for (size_t i = site.wide.size(); i-- > 0;) {
      reinterpret_cast<uint64_t*>(warp.registers + site.wide[i])[lane] = take();
    }
    targets[lane] = from.next;
  }
  return spread(warp, targets, taken, b);
}

}  // namespace tilescope::emulator
