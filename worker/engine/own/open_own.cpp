#include "worker/engine/own/open_own.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <memory>
#include <span>
#include <variant>

#include "core/files/base64.h"
#include "core/files/whole_file.h"
#include "core/sheet/guess_sheet.h"
#include "emulator/emulator.h"
#include "worker/engine/compile/compiler.h"
#include "worker/engine/compile/cubin.h"
#include "worker/engine/compile/kernel_lines.h"
#include "worker/engine/compile/plain_name.h"
#include "worker/engine/compile/revision.h"
#include "worker/engine/emulate/sheet_launch.h"
#include "worker/engine/error.h"
#include "worker/engine/own/own_source.h"

namespace tilescope::worker {
namespace {

/// What a file's first bytes say that it is.
enum class FileKind { ptx, cu, elf, fatbin, archive, binary, empty };

FileKind kind_of_text(std::string_view text) {
  if (text.empty()) return FileKind::empty;
  if (text.starts_with("\x7f"
                       "ELF"))
    return FileKind::elf;
  if (text.starts_with("\x50\xed\x55\xba")) return FileKind::fatbin;
  if (text.starts_with("!<arch>")) return FileKind::archive;
  if (text.substr(0, 4096).find('\0') != text.npos) return FileKind::binary;
  // PTX begins with .version, but for comments.
  for (size_t i = 0; i < text.size();) {
    if (std::isspace(static_cast<unsigned char>(text[i]))) {
      ++i;
    } else if (text.substr(i).starts_with("//")) {
      i = std::min(text.find('\n', i), text.size());
    } else if (text.substr(i).starts_with("/*")) {
      const size_t end = text.find("*/", i + 2);
      i = end == text.npos ? text.size() : end + 2;
    } else {
      return text[i] == '.' ? FileKind::ptx : FileKind::cu;
    }
  }
  return FileKind::empty;
}

[[noreturn]] void refuse_kind(const std::string& file, FileKind kind) {
  switch (kind) {
    case FileKind::elf:
      fail(kUsage,
           file +
               " is machine code (a cubin, or a program), which the emulator does not "
               "run; give the .cu, or its PTX: cuobjdump -ptx takes that out of a program.");
    case FileKind::fatbin:
      fail(kUsage, file + " is a fatbin; cuobjdump -ptx takes its PTX out, or give the .cu.");
    case FileKind::archive:
      fail(kUsage, file + " is a library of object files; give a .cu or .ptx.");
    case FileKind::binary:
      fail(kUsage, file + " is no text; give a .cu or .ptx.");
    case FileKind::empty:
      fail(kUsage, file + " is empty; give a .cu or .ptx with a kernel in it.");
    case FileKind::ptx:
    case FileKind::cu:
      break;
  }
  fail(kUsage, file + " is neither a .cu nor a .ptx.");
}

/// What reads or writes textures and surfaces, whose layout nobody but a card knows.
bool is_texture(const std::string& opcode) {
  return std::ranges::any_of(std::initializer_list<const char*>{"tex", "tld4", "txq", "suld",
                                                                "sust", "sured", "suq", "istypep"},
                             [&](const char* word) {
                               return opcode == word || opcode.starts_with(std::string(word) + ".");
                             });
}

InTheWay in_the_way(const emulator::ParseError& error, const emulator::Program* program,
                    const std::string& file) {
  const int line = program ? line_told(*program, error.ptx_line, file) : 0;
  std::string message = error.message;
  if (is_texture(error.opcode)) {
    message = "PTX line " + std::to_string(error.ptx_line) + ": " + error.opcode +
              " is of a texture or a surface, which lie as a card alone knows and are not "
              "emulated; read the same data through a pointer.";
  }
  return {error.ptx_line, line, error.opcode, message};
}

/// The declaration whose name the demangled one is; of several that with as many parameters.
const KernelDeclaration* declaration_of(const sheet::Signature& s,
                                        std::span<const KernelDeclaration> kernels) {
  const std::string name = s.demangled.substr(0, s.demangled.find('<'));
  const bool mangled = s.entry.starts_with("_Z");
  for (const KernelDeclaration& k : kernels) {
    // Of extern "C" the PTX's name has no namespaces.
    const bool same = k.name == name || (!mangled && k.name.ends_with("::" + name));
    if (same && k.parameters.size() == s.parameters.size()) return &k;
  }
  return nullptr;
}

/// Names, and types where the mangled name has none (extern "C").
void add_names(const KernelDeclaration& from, sheet::Signature& s) {
  for (size_t i = 0; i < s.parameters.size(); ++i) {
    sheet::Parameter& p = s.parameters[i];
    const KernelDeclaration::Parameter& declared = from.parameters[i];
    if (!declared.name.empty()) p.name = declared.name;
    const bool known = sheet::value_type_of(p) != nullptr || p.ptx == ".b8";
    if (p.cpp.empty() || !known) {
      const std::string mangled = p.cpp;
      p.cpp = declared.type;
      if (!mangled.empty() && sheet::value_type_of(p) == nullptr) p.cpp = mangled;
    }
    p.is_const = p.is_const || declared.is_const;
    p.is_restrict = p.is_restrict || declared.is_restrict;
  }
}

/// The file that most of an entry's instructions are of, by its name in the PTX; `file` where it
/// has any.
std::string source_of(const emulator::Program& program, const std::string& entry,
                      const std::string& file) {
  std::map<std::string, size_t> lines;
  for (const emulator::Instruction& in : program.instructions(entry)) {
    for (const emulator::SourceLine& line : program.source_chain(in.ptx_line)) {
      if (!line.file.empty()) ++lines[line.file];
    }
  }
  if (lines.contains(file)) return file;
  const auto most =
      std::ranges::max_element(lines, {}, &std::pair<const std::string, size_t>::second);
  return most == lines.end() ? "" : most->first;
}

void describe(OpenAnswer& answer, const std::string& file_name,
              std::span<const KernelDeclaration> declared) {
  const auto parsed = emulator::Program::read(answer.ptx);
  if (const auto* errors = std::get_if<std::vector<emulator::ParseError>>(&parsed)) {
    for (const auto& error : *errors) answer.errors.push_back(in_the_way(error, nullptr, {}));
    return;
  }
  const auto& program = *std::get<std::shared_ptr<const emulator::Program>>(parsed);
  for (const emulator::EntryInfo& entry : program.entries()) {
    OpenedKernel kernel;
    kernel.signature = signature_of(entry);
    if (const KernelDeclaration* declaration = declaration_of(kernel.signature, declared)) {
      add_names(*declaration, kernel.signature);
      kernel.line = declaration->line;
    }
    for (const auto& error : program.errors_of(entry.name)) {
      kernel.in_the_way.push_back(in_the_way(error, &program, file_name));
    }
    if (answer.kind == "cu") kernel.source = source_of(program, entry.name, file_name);
    kernel.guess = sheet::guess_sheet(kernel.signature, answer.launches);
    answer.kernels.push_back(std::move(kernel));
  }
}

std::string template_line(const KernelDeclaration& kernel) {
  std::string list;
  for (const std::string& p : kernel.template_parameters) list += (list.empty() ? "" : ", ") + p;
  return kernel.name + "<" + list + ">";
}

/// One that does not fit into an answer is left out: the driver makes another of the PTX.
void add_cubin(OpenAnswer& answer, const std::vector<std::byte>& cubin) {
  if (cubin.empty() || cubin.size() > kMostOwnPtx) return;
  answer.cubin = files::base64(cubin);
  for (OpenedKernel& kernel : answer.kernels) {
    const auto info = read_cubin(cubin, kernel.signature.entry);
    if (!info) continue;
    kernel.registers = info->registers;
    kernel.spill_bytes = info->local_bytes;
  }
}

void compile_into(const OpenRequest& request, const std::string& text,
                  const std::atomic<bool>* cancelled, OpenAnswer& answer) {
  const OwnFiles files = read_own_files(request.file, &text, request.include_folders);
  OwnOptions options;
  options.arch = request.arch.empty() ? kDefaultArch : request.arch;
  options.include_folders = request.include_folders;
  options.defines = request.defines;
  options.entry = request.entry;
  options.seconds = request.seconds;
  options.with_cubin = request.with_cubin;
  options.cancelled = cancelled;
  OwnPtx compiled = compile_own(request.file, files, options);
  answer.kind = "cu";
  answer.source = text;
  answer.ptx = std::move(compiled.ptx);
  answer.arch = compiled.arch;
  answer.compiler = compiled.compiler;
  answer.compile_ms = compiled.ms;
  answer.log = compiled.log;
  answer.launches = files.launches;
  answer.files = files.read;
  for (const KernelDeclaration& k : files.kernels) {
    if (!k.template_parameters.empty()) answer.templates.push_back(template_line(k));
  }
  describe(answer, files.main.name, files.kernels);
  add_cubin(answer, compiled.cubin);
}

}  // namespace

OpenAnswer open_own(const OpenRequest& request, const std::atomic<bool>* cancelled) {
  std::string why_not;
  auto text = request.source ? request.source
                             : files::read_regular_file(request.file, kMostOwnPtx, &why_not);
  if (!text) fail(kUsage, why_not);
  OpenAnswer answer;
  FileKind kind = kind_of_text(*text);
  const bool is_cpp =
      text->find("__global__") != text->npos || text->find("#include") != text->npos;
  if (request.only == "ptx" && kind == FileKind::cu) {
    if (is_cpp) fail(kUsage, request.file + " is CUDA C++, not PTX; give it with --cu.");
    kind = FileKind::ptx;  // the parser says what is wrong with it
  }
  if (request.only == "cu" && kind == FileKind::ptx) {
    fail(kUsage, request.file + " is PTX, not CUDA C++; give it with --ptx.");
  }
  if (kind == FileKind::cu) {
    compile_into(request, *text, cancelled, answer);
  } else if (kind == FileKind::ptx) {
    answer.kind = "ptx";
    answer.ptx = std::move(*text);
    answer.files = {request.file};
    describe(answer, {}, {});
  } else {
    refuse_kind(request.file, kind);
  }
  answer.revision = ptx_revision(answer.ptx);
  return answer;
}

}  // namespace tilescope::worker
