#include "core/model/notes.h"

namespace tilescope::model::notes {
namespace {

constexpr Shape kMma{16, 8, 16};

constexpr Shape kWarps[] = {
    {16, 8, 16},  {64, 64, 32}, {32, 128, 32}, {16, 64, 32}, {16, 128, 32},
    {32, 32, 32}, {64, 64, 64}, {32, 32, 64},  {64, 32, 32},
};

struct WarpInBlock {
  Shape warp, block;
};
constexpr WarpInBlock kBlocks[] = {
    {{16, 8, 16}, {16, 8, 16}},     {{64, 64, 32}, {64, 128, 32}},  {{64, 64, 32}, {64, 256, 32}},
    {{64, 64, 32}, {128, 128, 32}}, {{64, 64, 32}, {128, 64, 32}},  {{32, 128, 32}, {64, 128, 32}},
    {{16, 64, 32}, {64, 64, 32}},   {{16, 128, 32}, {64, 128, 32}}, {{32, 32, 32}, {64, 64, 32}},
    {{64, 64, 64}, {128, 128, 64}}, {{32, 32, 64}, {64, 64, 64}},   {{64, 32, 32}, {128, 64, 32}},
    {{32, 64, 32}, {64, 64, 32}},
};

// qwen2.5-72B: a linear layer of 8192 × 29696.
constexpr int kN = 8192, kK = 29696;
constexpr int kSkinnyM[] = {1, 2, 3, 4, 8, 16};
constexpr Shape kSkinnyBlocks[] = {{16, 8, 16},   {16, 64, 32},  {16, 64, 64},
                                   {16, 128, 32}, {16, 128, 64}, {16, 256, 32}};
constexpr int kWideM = 2048;
constexpr Shape kWideBlocks[] = {{16, 8, 16},   {64, 64, 32},  {64, 64, 64},   {64, 128, 32},
                                 {64, 256, 32}, {128, 64, 32}, {128, 128, 32}, {128, 128, 64}};

}  // namespace

std::vector<ClockRow> table_a(Count count) {
  std::vector<ClockRow> rows;
  for (const Shape& warp : kWarps) rows.push_back(register_level(warp, kMma, count));
  return rows;
}

std::vector<ClockRow> table_b(Count count) {
  std::vector<ClockRow> rows;
  for (const WarpInBlock& w : kBlocks) {
    rows.push_back(shared_level(w.block, w.warp, kMma, count));
  }
  return rows;
}

std::vector<ProblemRow> table_c(Count count) {
  std::vector<ProblemRow> rows;
  for (int m : kSkinnyM) {
    for (const Shape& b : kSkinnyBlocks) rows.push_back(problem_level(b, {m, kN, kK}, count));
  }
  for (const Shape& b : kWideBlocks) rows.push_back(problem_level(b, {kWideM, kN, kK}, count));
  return rows;
}

}  // namespace tilescope::model::notes
