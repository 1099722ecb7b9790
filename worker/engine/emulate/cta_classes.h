// CTAs that stand for others: they are executed, and what they do is counted for all.
#pragma once
#include <cstdint>
#include <vector>

#include "core/layout/kernel_plan.h"

namespace tilescope::worker {

/// CTAs that are run together.
struct CtaClass {
  std::vector<BlockIndex> ctas;
  std::vector<Coord> tiles;      // block tiles that they work on
  std::vector<Coord> completed;  // those whose C they store
  uint64_t count = 0;            // groups of CTAs in the class, itself included
};

/// Where each CTA has its one tile, or shares one: CTAs whose counts must be equal. Two tiles are
/// alike if they stick out of C alike, both begin at row (and column) 0 or neither does, and their
/// places in A, B and C are the same bytes into a 32-byte sector. At 0 an edge's stand-in address
/// (the buffer's start) may share a sector with a real one, so 0 is a class of its own. Where CTAs
/// go from tile to tile no two are alike: a few of them, evenly spread, are then a sample.
std::vector<CtaClass> cta_classes(const KernelPlan& plan, const Problem& problem);
/// False of a sample.
bool classes_are_exact(const KernelPlan& plan);
std::vector<Coord> tiles_of(const std::vector<CtaClass>& classes);
uint64_t executed_ctas(const std::vector<CtaClass>& classes);

/// The part of C that a block tile covers.
struct Rect tile_rect(const KernelPlan& plan, const Problem& problem, Coord tile);

}  // namespace tilescope::worker
