// What the command `step` prints.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "app/cli/output.h"
#include "worker/messages/messages_step.h"

namespace tilescope::cli {

struct StepShown {
  bool all_registers = false, list_motions = false, writers = false, checks = false;
  int lanes = 8;
};

struct ShownBytes {
  std::string name;
  bool shared = false;  // else of a buffer
  uint64_t offset = 0;
  std::vector<std::byte> bytes;
};

/// Leaves the registers of these names. Throws (exit code 2) for one that is not there.
void keep_registers(worker::StepAnswer& answer, const std::vector<std::string>& names);
Json step_json(const std::string& kernel, const worker::StepAnswer& answer,
               const std::vector<ShownBytes>& bytes, const StepShown& shown);
void print_step(const std::string& kernel, const worker::StepAnswer& answer,
                const std::vector<ShownBytes>& bytes, const StepShown& shown);
void print_motions(bool json);

}  // namespace tilescope::cli
