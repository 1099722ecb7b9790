#include "worker/engine/compile/cubin.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <vector>

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

/// `others`: symbols whose attributes do not count.
void read_attributes(std::span<const std::byte> section, const std::vector<uint32_t>& others,
                     CubinInfo& info) {
  uint64_t at = 0;
  uint8_t format = 0, attribute = 0;
  uint16_t size = 0;
  while (read_at(section, at, format) && read_at(section, at + 1, attribute) &&
         read_at(section, at + 2, size)) {
    at += 4;
    if (format != kSizedFormat) continue;
    uint32_t of = 0, value = 0;
    const bool whole = size >= 8 && read_at(section, at, of) && read_at(section, at + 4, value);
    if (whole && std::ranges::find(others, of) == others.end()) {
      if (attribute == kRegisterCount) info.registers = std::max<int>(info.registers, value);
      if (attribute == kFrameSize) info.local_bytes = std::max<int>(info.local_bytes, value);
    }
    at += size;
  }
}

/// Section headers, in order; as many as the bytes hold.
std::vector<Elf64_Shdr> read_sections(std::span<const std::byte> cubin, const Elf64_Ehdr& header) {
  std::vector<Elf64_Shdr> sections;
  for (int i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section;
    if (!read_at(cubin, header.e_shoff + 1ull * i * sizeof(Elf64_Shdr), section)) break;
    sections.push_back(section);
  }
  return sections;
}

constexpr unsigned char kIsKernel = 0x10;  // in a symbol's st_other

/// Numbers of the symbols that are kernels but not `entry`; none if `entry` is not there.
std::vector<uint32_t> kernels_beside(std::span<const std::byte> cubin,
                                     const std::vector<Elf64_Shdr>& sections,
                                     std::string_view entry) {
  std::vector<uint32_t> others;
  bool found = false;
  for (const Elf64_Shdr& table : sections) {
    if (table.sh_type != SHT_SYMTAB || table.sh_link >= sections.size()) continue;
    const uint64_t names = sections[table.sh_link].sh_offset;
    for (uint64_t i = 0; i < table.sh_size / sizeof(Elf64_Sym); ++i) {
      Elf64_Sym symbol;
      if (!read_at(cubin, table.sh_offset + i * sizeof(Elf64_Sym), symbol)) break;
      if ((symbol.st_other & kIsKernel) == 0) continue;
      if (text_at(cubin, names + symbol.st_name) == entry) {
        found = true;
      } else {
        others.push_back(static_cast<uint32_t>(i));
      }
    }
  }
  return found ? others : std::vector<uint32_t>();
}

}  // namespace

std::optional<CubinInfo> read_cubin(std::span<const std::byte> cubin, std::string_view entry) {
  Elf64_Ehdr header;
  if (!read_at(cubin, 0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_shentsize != sizeof(Elf64_Shdr)) {
    return std::nullopt;
  }
  const std::vector<Elf64_Shdr> sections = read_sections(cubin, header);
  if (header.e_shstrndx >= sections.size()) return std::nullopt;
  const uint64_t names = sections[header.e_shstrndx].sh_offset;
  const std::vector<uint32_t> others = kernels_beside(cubin, sections, entry);
  CubinInfo info;
  bool found = false;
  for (const Elf64_Shdr& section : sections) {
    if (text_at(cubin, names + section.sh_name) != ".nv.info") continue;
    if (section.sh_offset > cubin.size() || section.sh_size > cubin.size() - section.sh_offset)
      break;
    read_attributes(cubin.subspan(section.sh_offset, section.sh_size), others, info);
    found = true;
  }
  return found && info.registers > 0 ? std::optional(info) : std::nullopt;
}

}  // namespace tilescope::worker
