// Who touches which byte: every access of one CTA, or of a whole small grid, to global and shared
// memory. "accesses" of the emulator, of any launch; nothing is known of tiles here.
#pragma once
#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/layout/launch.h"
#include "worker/messages/messages_trace.h"

namespace tilescope::worker {

/// What an answer holds at most: warp accesses, and different sets of lanes' addresses. The run
/// ends where there would be more.
inline constexpr uint32_t kMostAccesses = 2'000'000, kMostAccessPatterns = 100'000;

/// A buffer of global memory as a matrix. Element i lies at `first` + i · `element_bytes`, in line
/// i / `line`; lines are rows, or columns if `by_columns`.
struct AccessBuffer {
  std::string name = {};
  uint64_t address = 0, bytes = 0;
  std::string type = {};  // "f16"; empty: not known
  uint32_t element_bytes = 4;
  uint64_t rows = 1, cols = 1;
  uint64_t first = 0;  // bytes before the first element
  uint64_t line = 1;   // elements from line to line
  bool by_columns = false;
  bool shaped = false;  // somebody has said so; else rows of 1024 elements of 4 bytes
  int matrix = -1;      // of C = A·B: 0 A, 1 B, 2 C
  bool operator==(const AccessBuffer&) const = default;
};

/// A PTX line that touches memory. Its figures are of all that it was seen to do.
struct AccessInstruction {
  int ptx_line = 0, line = 0;  // line: of the source; 0 = not known
  std::string opcode = {};
  bool operator==(const AccessInstruction&) const = default;
};

/// Where the lanes of an access lie to each other, in bytes from the lowest active lane's address;
/// 0 of a lane that takes no part.
struct AccessPattern {
  uint32_t lanes = 0, bytes = 0;  // mask; bytes per lane
  std::array<int64_t, 32> difference = {};
  bool operator==(const AccessPattern&) const = default;
};

/// One access of a warp. 40 bytes without gaps, which are sent as they are.
struct AccessRecord {
  enum Flag : uint16_t { kShared = 1, kReads = 2, kWrites = 4 };
  uint64_t address = 0;      // of the lowest active lane: device address, or byte of shared memory
  uint32_t step = 0;         // of the warp, as RawAccess::step
  uint32_t moment = 0;       // the same, with the CTA's warps set side by side behind each barrier
  uint32_t epoch = 0;        // barriers that the warp has passed
  uint32_t cta = 0;          // number in the grid, x fastest
  uint32_t pattern = 0;      // into AccessAnswer::patterns
  uint32_t instruction = 0;  // into AccessAnswer::instructions
  uint16_t warp = 0, flags = 0;
  uint16_t cost = 0, ideal = 0;  // sectors, or wavefronts of shared memory
  bool shared() const { return (flags & kShared) != 0; }
  bool reads() const { return (flags & kReads) != 0; }
  bool writes() const { return (flags & kWrites) != 0; }
  bool operator==(const AccessRecord&) const = default;
};

struct AccessAnswer {
  BlockIndex cta = {}, grid = {};
  bool whole_grid = false;
  uint32_t warps = 0;  // of a CTA
  uint64_t shared_bytes = 0;
  uint32_t moments = 0;  // one behind the last
  std::vector<AccessBuffer> buffers = {};
  std::vector<AccessInstruction> instructions = {};  // by PTX line
  std::vector<AccessPattern> patterns = {};
  std::vector<AccessRecord> records = {};  // by moment, then in the order in which they ran
  std::string stopped = {};                // why this is not all, one sentence; empty: it is
};

/// The binary frames' types.
inline constexpr const char *kAccessPatterns = "accesses.patterns",
                            *kAccessRecords = "accesses.records";
void to_json(nlohmann::json& j, const AccessAnswer& a);  // without what the frames have
nlohmann::json send_accesses(const AccessAnswer& answer, const SendPart& send);
/// Puts an answer together again on the receiving side.
struct AccessFrames {
  std::string patterns, records;
  void add(std::string_view type, std::span<const std::byte> more);
  /// Throws if the frames do not hold what the answer says, or what they hold points nowhere.
  AccessAnswer whole(const nlohmann::json& answer) const;
};

}  // namespace tilescope::worker
