// Executable form of an entry: 32-byte instructions on register slots, basic blocks, constants.
// The row tables of isa/ are compiled twice (AVX2 and baseline), so this header and context.h stay
// plain data: no inline function of them may be emitted by a file with other compiler flags.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace tilescope::emulator {

/// A register slot is 128 bytes per warp (lane i at 4·i), 256 for 64-bit registers (8·i).
/// Predicates are one 32-bit mask each, in an array of their own.
struct Inst {
  uint16_t row = 0;    // into the row table
  uint16_t guard = 0;  // 0 = none, else (predicate + 1) << 1 | negated
  uint32_t r[4] = {};  // byte offsets of slots, or predicate indices, in operand order
  int32_t imm = 0;     // first immediate or address offset
  uint32_t list = 0;   // into Code::lists: all slots, then the immediates after the first
  uint32_t site = 0;   // into the sites of a run: memory counters; 0 = none
};
static_assert(sizeof(Inst) == 32);
/// In the slot of an address: the base register has 32 bits.
inline constexpr uint32_t kNarrowBase = 1;
/// In the slot of an operand that may be wider than its type (Row::operands, u and v): the register
/// has 32 or 64 bits, none of these: 16.
inline constexpr uint32_t kSlot32 = 1, kSlot64 = 2, kSlotWidth = 3;

enum class BlockEnd : uint8_t {
  next,
  branch,
  jump_table,
  call,
  give_back,
  barrier,
  leave,
  trap,
  yield,
  warpgroup,  // a group of wgmma is committed, or waited for
  cluster     // all threads of the cluster meet
};

struct Block {
  uint32_t begin = 0, end = 0;    // instructions, without the one that ends the block
  uint32_t rank = 0;              // lowest runs first
  uint32_t next = 0, target = 0;  // blocks
  uint32_t guard = 0;             // of a branch or exit, as Inst::guard
  BlockEnd kind = BlockEnd::next;
  uint32_t end_inst = 0xffffffffu;         // the instruction that ends the block, if there is one
  uint32_t first_target = 0, targets = 0;  // of a jump table, into Code::targets
  uint32_t call = 0;                       // into Code::calls
  uint32_t members = 0;  // of a block that begins with a .sync of lanes: slot + 1 of their mask
};

/// A call of a function that was not inlined: which registers the caller still needs afterwards, so
/// that each lane keeps them while the function runs.
struct CallSite {
  std::vector<uint32_t> narrow, wide, predicates;  // slots
};

/// A register that holds one thing for a whole run, CTA or warp.
struct Constant {
  enum class Kind : uint8_t { value, parameter, special };
  Kind kind = Kind::value;
  uint8_t bytes = 4;       // read from the parameter block
  bool is_signed = false;  // sign-extended
  bool wide = false;       // 64-bit slot
  bool is_predicate = false;
  uint32_t slot = 0;   // byte offset
  uint64_t value = 0;  // bits; or offset in the parameter block; or Special
};
enum class Special : uint8_t {
  tid_x,
  tid_y,
  tid_z,
  ntid_x,
  ntid_y,
  ntid_z,
  ctaid_x,
  ctaid_y,
  ctaid_z,
  nctaid_x,
  nctaid_y,
  nctaid_z,
  laneid,
  warpid,
  nwarpid,
  smid,
  nsmid,
  gridid,
  lanemask_eq,
  lanemask_le,
  lanemask_lt,
  lanemask_ge,
  lanemask_gt,
  dynamic_shared_bytes,
  total_shared_bytes,
  clusterid_x,
  clusterid_y,
  clusterid_z,
  nclusterid_x,
  nclusterid_y,
  nclusterid_z,
  cluster_ctaid_x,
  cluster_ctaid_y,
  cluster_ctaid_z,
  cluster_nctaid_x,
  cluster_nctaid_y,
  cluster_nctaid_z,
  cluster_ctarank,
  cluster_nctarank,
  is_explicit_cluster,
  zero,
  clock,
  count
};

/// What is known of an instruction beside its execution.
struct InstInfo {
  int ptx_line = 0;
  uint32_t opcode = 0;  // into Code::opcodes
};

/// Generic addresses of the shared and local windows; global buffers lie below 2^56.
inline constexpr uint64_t kSharedWindow = 1ull << 60;
inline constexpr uint64_t kLocalWindow = 1ull << 61;
inline constexpr uint64_t kWindowMask = ~((1ull << 60) - 1);
/// Buffer i of a Memory starts at (i + 1) << 40; the parameter block and the module's variables
/// have fixed regions behind, so that their addresses never depend on how many buffers there are.
inline constexpr int kRegionShift = 40;
inline constexpr uint64_t kOffsetMask = (1ull << kRegionShift) - 1;
inline constexpr uint32_t kModuleRegions = 4096;
inline constexpr uint32_t kParameterRegion = kModuleRegions - 1;
inline constexpr uint32_t kMaxBuffers = kParameterRegion - 1;
/// The address of the module's function i is kFunctionWindow + 16 · (i + 1).
inline constexpr uint64_t kFunctionWindow = 1ull << 62;
/// InstInfo::opcode of an instruction that is not in the PTX text and is not counted.
inline constexpr uint32_t kSynthetic = 0xffffffffu;

/// A virtual register: what it is called in the PTX text, and its bits (1 = predicate).
struct RegisterInfo {
  std::string name;
  uint32_t function = 0;  // 0 = the entry itself; else which inlined copy of a function
  uint8_t bits = 32;
};
/// In Code::operands: a register's number << 1 | written; or not a register at all.
inline constexpr uint32_t kNoRegister = 0xffffffffu;

struct Code {
  std::vector<Inst> instructions;
  std::vector<InstInfo> info;
  std::vector<uint32_t> lists;
  std::vector<Block> blocks;  // block 0 is the entry
  std::vector<Constant> constants;
  std::vector<std::string> opcodes, canonical;  // full mnemonics as in the PTX; in rows' order
  std::vector<uint32_t> zeroed;  // slots (byte offsets) that may be read before they are set
  std::vector<uint32_t> zeroed_wide;
  // For observers, which follow registers where execution follows slots.
  std::vector<RegisterInfo> registers;
  std::vector<uint32_t> operands;       // as the slots of an instruction, in their order
  std::vector<uint32_t> first_operand;  // by instruction, and the end
  std::vector<uint32_t> guards;         // by instruction: predicate register, or kNoRegister
  std::vector<uint32_t> read_unset;     // registers that may be read before they are set
  /// Of a program whose registers are kept, by register: byte offset of its slot or index of its
  /// predicate, or kNoRegister if no instruction names it. Else empty.
  std::vector<uint32_t> register_slots;
  uint32_t frame_bytes = 0;  // register slots of a warp
  uint32_t predicates = 0;
  uint32_t sites = 1;
  uint32_t static_shared_bytes = 0;
  uint32_t local_bytes = 0;       // per lane
  std::vector<uint32_t> targets;  // blocks, of jump tables
  std::vector<CallSite> calls;
  std::vector<uint32_t> functions;       // the module's functions → first block, or all ones
  uint32_t stack_pointer = 0xffffffffu;  // slot, if there are functions that were not inlined
};

}  // namespace tilescope::emulator
