// What each event of a traced CTA moves or multiplies: which elements of A, B and C, as the
// emulator's provenance says while the kernel runs. Nothing here knows core/layout's maps.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "worker/engine/trace/trace_event.h"

namespace tilescope::worker {

class DataFollower final : public EventFollower {
 public:
  DataFollower(const EmulatedGemm& gemm, const InstructionLines& lines)
      : EventFollower(lines), gemm_(gemm), lines_(matrix_lines(gemm.problem)) {}

  DataEvent follow(const emulator::Trace& trace, const Live& live) override;
  std::vector<TouchedBox> touched_by(const std::vector<DataEvent>& fmas) const override;
  emulator::Memory::Location locate(uint64_t address) const override;

 private:
  void memory(const emulator::Trace& trace, const Live& live, DataEvent& data);
  void product(const Live& live, DataEvent& data);
  void fma(const Live& live, DataEvent& data);
  void note(DataEvent& data, const Element& element);
  void place(DataEvent& data, int k);
  /// The element of C that a sum of products is a part of.
  Element sum_of(const emulator::Product& product) const;
  /// A bulk copy of a box of A, B or C, of which `first` is the first element.
  bool moves_box(const emulator::Event& event) const;
  void note_box(DataEvent& data, const Element& first);
  static int k_of(const Element& element);
  int stage_of(uint64_t shared_offset) const;

  static constexpr int kSumBytes = 4;  // of what sums are held in
  const EmulatedGemm& gemm_;
  const MatrixLines lines_;
  std::vector<TouchedBox> touched_;  // of the event under way

  /// The elements of one factor of an fma, over the lanes: rows of A or columns of B, at one k.
  struct FactorSet {
    int matrix = -1, k = -1;
    std::vector<std::pair<int, int>> outer;  // rows or columns: first, count
    std::vector<TouchedBox> boxes;
  };
  static constexpr size_t kRecent = 32;  // of a warp: the factors of a thread tile
  using Numbers = std::array<uint32_t, 32>;
  struct Recent {  // a factor's elements as they came, and their set
    Numbers numbers{};
    int set = -1;
  };
  using Recents = std::pair<std::array<Recent, kRecent>, size_t>;
  static int known_set(const Recents& recents, const Numbers& numbers);
  int add_set(Recents& recents, const Numbers& numbers,
              const std::array<emulator::Origin, 32>& origins);
  std::vector<FactorSet> sets_;
  std::map<uint16_t, Recents> recent_;
  std::map<std::pair<uint16_t, int>, int> stages_;  // warp, slice → stage it was last read from
};

/// Fewer boxes that cover the same elements.
void merge_boxes(std::vector<TouchedBox>& boxes);

}  // namespace tilescope::worker
