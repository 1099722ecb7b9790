// Faults on demand: what $TILESCOPE_EMULATED_FAULT asks for.
//
//   KIND[@DEVICE][:ARGUMENT], several separated by commas; without @DEVICE on every device.
//
//   illegal_address:TEXT  misaligned_address:TEXT  illegal_instruction:TEXT  assert:TEXT
//   launch_failed:TEXT    ecc:TEXT
//                     a kernel that TEXT names fails as soon as it runs
//   hang:TEXT         it never ends
//   out_of_memory:N   the process's allocation number N (from 1) fails
//   out_of_memory_above:BYTES   every larger one
//   lost:[CALL:]N[:RESULT]
//                     after N calls of a kind the card falls off the bus with the next one. CALL
//                     is launch (without it), copy, query, synchronize or load. From then on all
//                     calls on the card answer RESULT (46), in new processes too as long as the
//                     file lost-DEVICE lies in $TILESCOPE_EMULATED_STATE and back-DEVICE does not;
//                     of 802 and 999 a driver without another card does not even start. A card
//                     that is back is not lost again
//   no_device         the driver is there and sees no GPU
//   init:CODE         the driver does not start
//   init_hangs        it never comes back from its start
//
// TEXT is the name of an entry, or else any text of the module's PTX, such as a file's name.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "emulator/emulator.h"
#include "worker/engine/gpu/cuda_api.h"

namespace tilescope::emulated_driver {

namespace cuda = worker::cuda;
using cuda::Result;

/// Kinds of calls amid which a card may be lost.
enum class Call : uint8_t { launch, copy, query, synchronize, load };
constexpr int kCalls = 5;

struct Loss {
  Call call = Call::launch;
  uint64_t after = 0;  // so many calls of that kind go well
  Result result = cuda::kDeviceUnavailable;
};

struct FaultWish {
  std::string kind, argument;
  int device = -1;  // every one
  Loss loss;        // of "lost"
};

class Faults {
 public:
  /// Reads the environment; says what it does not understand on stderr.
  static Faults read();
  bool understood() const { return understood_; }
  /// What cuInit has to return, if it does.
  Result of_init() const;
  bool fails_to_allocate(int device, uint64_t number, uint64_t bytes) const;
  /// Where calls of this kind lose the card.
  std::optional<Loss> loss_amid(int device, Call call) const;
  bool hangs(int device, const emulator::Program& program, const std::string& ptx,
             const std::string& entry) const;
  Result of_kernel(int device, const emulator::Program& program, const std::string& ptx,
                   const std::string& entry) const;

 private:
  std::vector<FaultWish> wishes_;
  bool understood_ = true;
};

/// What a fault that the emulator found is on a GPU.
Result result_of(const emulator::RunResult& ran);

/// A file in $TILESCOPE_EMULATED_STATE, if that is set: what outlives a process (a lost card), and
/// what a test waits for (a kernel that hangs).
void leave_mark(const std::string& name, const std::string& text = {});
bool has_mark(const std::string& name);
std::string text_of_mark(const std::string& name);

/// The environment's number, or `otherwise`.
uint64_t number_of_environment(const char* name, uint64_t otherwise);
std::string text_of_environment(const char* name, const char* otherwise);

}  // namespace tilescope::emulated_driver
