// A launch sheet as a launch in the emulator.
#pragma once
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/sheet/argument_spec.h"
#include "core/sheet/signature.h"
#include "emulator/tensor_map.h"
#include "worker/engine/emulate/emulated_launch.h"
#include "worker/engine/emulate/launch_tensor_maps.h"
#include "worker/engine/emulate/sheet_buffers.h"

namespace tilescope::worker {

/// What an entry's PTX and its mangled name say of it.
sheet::Signature signature_of(const emulator::EntryInfo& entry);

/// A sheet's arguments that fit an entry, with their files looked at: what the emulator and a card
/// are given alike, bit for bit.
struct SheetArguments {
  std::vector<sheet::ArgumentSpec> specs;
  std::vector<SheetBuffer> buffers = {};  // by argument; of a value without bytes

  /// Null: the argument is a value.
  const sheet::BufferSpec* buffer(size_t argument) const {
    return std::get_if<sheet::BufferSpec>(&specs[argument]);
  }
  uint64_t bytes() const;  // of all buffers
};
/// As the request names it, else "argument 2".
std::string argument_name(const LaunchRequest& request, size_t argument);
/// Of a request with a sheet. Fails with exit code 2 for a sheet that does not fit the entry;
/// throws sheet::SheetError for a file that does not fit its SPEC.
SheetArguments open_arguments(const emulator::EntryInfo& entry, const LaunchRequest& request);
/// What an argument's buffer holds before the launch, into memory that is all zeros.
void fill_argument(const SheetArguments& arguments, const LaunchRequest& request, size_t argument,
                   std::span<std::byte> to);
/// The parameter block, with the addresses of the arguments' buffers and with tensor maps as
/// `encode` makes them: the emulator has an encoding of its own, a card its driver's. Throws
/// sheet::SheetError for a tensor map that cannot be.
std::vector<std::byte> parameter_block(const emulator::EntryInfo& entry,
                                       const SheetArguments& arguments,
                                       const std::vector<uint64_t>& addresses,
                                       const EncodeTensorMap& encode);

/// Of a request with a sheet. Fails like prepare_launch(), and with exit code 2 for a sheet that
/// does not fit the entry or names a file that does not fit its SPEC.
EmulatedLaunch prepare_sheet(const LaunchRequest& request,
                             emulator::Registers registers = emulator::Registers::packed);

}  // namespace tilescope::worker
