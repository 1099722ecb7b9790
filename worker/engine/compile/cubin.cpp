#include "worker/engine/compile/cubin.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <string_view>

namespace tilescope::worker {
namespace {

/// Copies a T out of the bytes; false if it does not fit.
template <class T>
bool read_at(std::span<const std::byte> bytes, uint64_t offset, T& value) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return false;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return true;
}

std::string_view text_at(std::span<const std::byte> bytes, uint64_t offset) {
  if (offset >= bytes.size()) return {};
  const char* first = reinterpret_cast<const char*>(bytes.data()) + offset;
  return {first, strnlen(first, bytes.size() - offset)};
}

// .nv.info is a list of attributes: format, number, then a value or a size and that many bytes.
constexpr uint8_t kSizedFormat = 4;
constexpr uint8_t kFrameSize = 0x11, kRegisterCount = 0x2f;  // both: symbol, value

void read_attributes(std::span<const std::byte> section, CubinInfo& info) {
  uint64_t at = 0;
  uint8_t format = 0, attribute = 0;
  uint16_t size = 0;
  while (read_at(section, at, format) && read_at(section, at + 1, attribute) &&
         read_at(section, at + 2, size)) {
    at += 4;
    if (format != kSizedFormat) continue;
    uint32_t value = 0;
    if (size >= 8 && read_at(section, at + 4, value)) {
      if (attribute == kRegisterCount) info.registers = std::max<int>(info.registers, value);
      if (attribute == kFrameSize) info.local_bytes = std::max<int>(info.local_bytes, value);
    }
    at += size;
  }
}

}  // namespace

std::optional<CubinInfo> read_cubin(std::span<const std::byte> cubin) {
  Elf64_Ehdr header;
  if (!read_at(cubin, 0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_shentsize != sizeof(Elf64_Shdr)) {
    return std::nullopt;
  }
  Elf64_Shdr names;
  if (!read_at(cubin, header.e_shoff + 1ull * header.e_shstrndx * sizeof(Elf64_Shdr), names)) {
    return std::nullopt;
  }
  CubinInfo info;
  bool found = false;
  for (int i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section;
    if (!read_at(cubin, header.e_shoff + 1ull * i * sizeof(Elf64_Shdr), section)) break;
    if (text_at(cubin, names.sh_offset + section.sh_name) != ".nv.info") continue;
    if (section.sh_offset > cubin.size() || section.sh_size > cubin.size() - section.sh_offset)
      break;
    read_attributes(cubin.subspan(section.sh_offset, section.sh_size), info);
    found = true;
  }
  return found && info.registers > 0 ? std::optional(info) : std::nullopt;
}

}  // namespace tilescope::worker
