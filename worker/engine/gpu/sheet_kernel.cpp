#include "worker/engine/gpu/sheet_kernel.h"

#include <algorithm>
#include <cstring>

#include "core/model/format.h"
#include "core/sheet/sheet_error.h"
#include "worker/engine/error.h"
#include "worker/engine/gpu/card_tensor_map.h"

namespace tilescope::worker {
namespace {

constexpr uint64_t kWord = sizeof(uint32_t);  // memory of a card is filled by words

uint64_t whole_words(uint64_t bytes) {
  return std::max(kWord, (bytes + kWord - 1) / kWord * kWord);
}

std::string number(uint64_t n) { return model::grouped(static_cast<long long>(n)); }

/// The word that all of it is made of, if it is one.
bool is_one_word(const std::vector<std::byte>& bytes, uint32_t& word) {
  std::memcpy(&word, bytes.data(), kWord);
  return std::memcmp(bytes.data(), bytes.data() + kWord, bytes.size() - kWord) == 0;
}

const emulator::EntryInfo& entry_of(const emulator::Program& program,
                                    const LaunchRequest& request) {
  const emulator::EntryInfo* entry = program.find(request.sheet->entry);
  if (!entry) fail(kUsage, "The PTX has no kernel " + request.sheet->entry + ".");
  return *entry;
}

std::string made_by(const Code& code, const std::string& name) {
  return code.cubin.empty() ? "the compiler of " + name + "'s PTX" : "NVRTC for " + name;
}

std::string way_out(const Gpu& gpu) {
  return "update the driver, or give PTX for " + gpu.arch() + " of CUDA " + gpu.driver().version() +
         " or before";
}

}  // namespace

SheetKernel::SheetKernel(const Gpu& gpu, const LaunchRequest& request,
                         const emulator::Program& program, const Code& code)
    : gpu_(gpu),
      request_(request),
      entry_(entry_of(program, request)),
      arguments_(open_arguments(entry_, request)),
      name_(sheet::demangled(entry_.name).name),
      module_(gpu, code.cubin, request.ptx, made_by(code, name_), way_out(gpu)),
      function_(module_.function(entry_.name.c_str())) {
  const sheet::Extent &grid = *request.sheet->grid, &block = *request.sheet->block;
  shape_ = {.grid_x = grid.x,
            .grid_y = grid.y,
            .grid_z = grid.z,
            .threads = block.x,
            .shared_bytes = request.sheet->shared,
            .threads_y = block.y,
            .threads_z = block.z};
  if (const auto& cluster = request.sheet->cluster) {
    shape_.cluster_x = cluster->x, shape_.cluster_y = cluster->y, shape_.cluster_z = cluster->z;
  }
  check_limits();
  make_buffers();
  std::vector<uint64_t> addresses;
  for (const Buffer& buffer : buffers_) addresses.push_back(buffer.now.address());
  try {
    block_ = parameter_block(entry_, arguments_, addresses, card_encoder(gpu_));
  } catch (const sheet::SheetError& error) {
    fail(kUsage, error.what());
  }
  for (const emulator::Parameter& p : entry_.parameters) {
    parameters_.push_back(block_.data() + p.offset);
  }
}

/// What the driver would refuse with a number.
void SheetKernel::check_limits() const {
  const uint64_t threads = request_.sheet->block->count();
  const auto most =
      static_cast<uint64_t>(module_.attribute(function_, cuda::kMostThreadsOfFunction));
  if (threads > most) {
    fail(kUsage, name_ + " takes at most " + number(most) + " threads per block on " + gpu_.name() +
                     ", where a thread has " + number(registers()) + " registers; the sheet says " +
                     number(threads) +
                     ": give a smaller block, or compile it with __launch_bounds__.");
  }
  constexpr int kFirstWithClusters = 90;
  const bool clusters = request_.sheet->cluster ? request_.sheet->cluster->count() > 1
                                                : entry_.required_cluster.x != 0;
  if (clusters && gpu_.limits().sm < kFirstWithClusters) {
    fail(kUsage, name_ + " is launched in clusters of CTAs, which " + gpu_.name() +
                     " does not have (they came with compute capability 9.0); run it emulated.");
  }
  const auto fixed = static_cast<uint64_t>(module_.attribute(function_, cuda::kStaticSharedBytes));
  const uint64_t shared = fixed + shape_.shared_bytes;
  const auto largest = static_cast<uint64_t>(gpu_.limits().shared_per_block);
  if (shared > largest) {
    fail(kUsage, name_ + " would have " + number(shared) + " bytes of shared memory, " +
                     number(shape_.shared_bytes) + " of them dynamic; a block of " + gpu_.name() +
                     " has " + number(largest) + ": give a smaller \"shared\".");
  }
  constexpr uint64_t kWithoutAsking = 48 << 10;  // more of it must be asked for
  if (shared > kWithoutAsking && shape_.shared_bytes > 0) {
    gpu_.driver().check(
        gpu_.driver().call().set_function_attribute(function_, cuda::kMaxDynamicSharedBytes,
                                                    static_cast<int>(shape_.shared_bytes)),
        "to reserve " + number(shape_.shared_bytes) + " B of shared memory", name_);
  }
}

void SheetKernel::make_buffers() {
  double needed = 0;
  for (size_t i = 0; i < arguments_.specs.size(); ++i) {
    const sheet::BufferSpec* spec = arguments_.buffer(i);
    if (!spec) continue;
    const bool copied = spec->direction != sheet::Direction::in && spec->fill != sheet::Fill::zeros;
    needed += static_cast<double>(arguments_.buffers[i].bytes) * (copied ? 2 : 1);
  }
  const auto free = static_cast<double>(gpu_.free_bytes());
  if (needed > free) fail(kMissing, memory_sentence(gpu_.name(), needed, free));
  buffers_.resize(arguments_.specs.size());
  for (size_t i = 0; i < arguments_.specs.size(); ++i) {
    if (arguments_.buffer(i)) make(i);
  }
  gpu_.finish_copies();
}

void SheetKernel::make(size_t argument) {
  Buffer& buffer = buffers_[argument];
  buffer.bytes = arguments_.buffers[argument].bytes;
  buffer.written = arguments_.buffer(argument)->direction != sheet::Direction::in;
  std::vector<std::byte> bytes = first(static_cast<int>(argument));
  bytes.resize(whole_words(bytes.size()));
  buffer.now = GpuBuffer(gpu_, bytes.size());
  const auto fill = [&](const GpuBuffer& to) {
    gpu_.driver().check(
        gpu_.driver().call().copy_to_device(to.address(), bytes.data(), bytes.size()),
        "to copy to the GPU");
  };
  fill(buffer.now);
  if (!buffer.written || is_one_word(bytes, buffer.word)) return;
  buffer.before = GpuBuffer(gpu_, bytes.size());
  fill(buffer.before);
}

void SheetKernel::restore() const {
  const cuda::Functions& f = gpu_.driver().call();
  for (const Buffer& b : buffers_) {
    if (!b.written) continue;
    const bool copied = b.before.address() != 0;
    gpu_.driver().check(
        copied ? f.copy_on_device(b.now.address(), b.before.address(), b.now.bytes(), gpu_.stream())
               : f.set_words(b.now.address(), b.word, b.now.bytes() / kWord, gpu_.stream()),
        "to fill a buffer");
  }
}

void SheetKernel::enqueue() { launch(gpu_, function_, shape_, parameters_.data(), name_, nullptr); }

cuda::DevicePointer SheetKernel::address(int argument) const {
  return buffers_.at(static_cast<size_t>(argument)).now.address();
}

bool SheetKernel::is_buffer(int argument) const {
  const auto i = static_cast<size_t>(argument);
  return argument >= 0 && i < arguments_.specs.size() && arguments_.buffer(i);
}

void SheetKernel::write(int argument, const std::vector<std::byte>& bytes) {
  const cuda::Functions& f = gpu_.driver().call();
  gpu_.driver().check(f.copy_to_device(address(argument), bytes.data(), bytes.size()),
                      "to copy to the GPU");
  gpu_.finish_copies();
}

std::vector<std::byte> SheetKernel::read(int argument) const {
  const Buffer& buffer = buffers_.at(static_cast<size_t>(argument));
  std::vector<std::byte> bytes(buffer.bytes);
  buffer.now.read(bytes.data(), bytes.size());
  return bytes;
}

std::vector<std::byte> SheetKernel::first(int argument) const {
  const auto i = static_cast<size_t>(argument);
  std::vector<std::byte> bytes(arguments_.buffers.at(i).bytes);
  fill_argument(arguments_, request_, i, bytes);
  return bytes;
}

bool SheetKernel::writes_beside(int argument) const {
  for (size_t i = 0; i < buffers_.size(); ++i) {
    if (buffers_[i].written && static_cast<int>(i) != argument) return true;
  }
  return false;
}

}  // namespace tilescope::worker
