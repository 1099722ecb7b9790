#include "worker/engine/gpu/nccl.h"

#include <cstring>
#include <filesystem>

#include "core/files/base64.h"
#include "core/programs/search_path.h"
#include "worker/engine/error.h"

namespace tilescope::worker {
namespace {

int type_of(ElementType type) {
  constexpr int kFloat16 = 6, kFloat32 = 7;
  return type == ElementType::f16 ? kFloat16 : kFloat32;
}

/// The wheel nvidia-nccl-cu… of each Python that PATH names: PREFIX/bin/python3 has its packages in
/// PREFIX/lib/python3.N/site-packages.
void add_wheels(std::vector<std::string>& places) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  for (const std::string& folder : search_path()) {
    if (!fs::exists(fs::path(folder) / "python3", ignored)) continue;
    for (const auto& lib : fs::directory_iterator(fs::path(folder) / ".." / "lib", ignored)) {
      if (!lib.path().filename().string().starts_with("python3")) continue;
      for (const char* packages : {"site-packages", "dist-packages"}) {
        const fs::path file = lib.path() / packages / "nvidia" / "nccl" / "lib" / "libnccl.so.2";
        if (fs::exists(file, ignored)) places.push_back(file.string());
      }
    }
  }
}

}  // namespace

std::shared_ptr<const Nccl> Nccl::open(std::string* why_not) {
  auto nccl = std::make_shared<Nccl>();
  const std::vector<std::string> names = {"libnccl.so.2", "libnccl.so"};
  const std::string given = environment("TILESCOPE_NCCL");
  std::vector<std::string> places = given.empty() ? names : candidates_at(given, names);
  if (given.empty()) add_wheels(places);
  nccl->library_ = SharedLibrary::open(places);
  if (!nccl->library_) {
    *why_not = given.empty() ? "NCCL was not found; install it (package libnccl2, wheel "
                               "nvidia-nccl-cu13) or name it in TILESCOPE_NCCL to run a layer on "
                               "several cards."
                             : "TILESCOPE_NCCL names no library: " + given +
                                   "; name libnccl.so.2 or its folder.";
    return nullptr;
  }
  nccl::Functions& f = nccl->f_;
  const SharedLibrary& from = *nccl->library_;
  const bool loaded =
      from.load(f.version, "ncclGetVersion") && from.load(f.unique_id, "ncclGetUniqueId") &&
      from.load(f.init_rank, "ncclCommInitRank") && from.load(f.abort, "ncclCommAbort") &&
      from.load(f.destroy, "ncclCommDestroy") && from.load(f.all_reduce, "ncclAllReduce") &&
      from.load(f.all_gather, "ncclAllGather") && from.load(f.error_string, "ncclGetErrorString");
  if (!loaded) {
    *why_not = nccl->library_->name() + " is no NCCL 2; install one that is.";
    return nullptr;
  }
  return nccl;
}

std::string Nccl::name() const {
  int version = 0;  // 22809, or 2 × 10000 + 28 × 100 + 9
  if (f_.version(&version) != 0) return "NCCL";
  return "NCCL " + std::to_string(version / 10000) + "." + std::to_string(version % 10000 / 100) +
         "." + std::to_string(version % 100);
}

void Nccl::check(int result, const std::string& doing) const {
  if (result == 0) return;
  fail(kFailed, "NCCL failed " + doing + ": " + f_.error_string(result) +
                    "; NCCL_DEBUG=INFO makes it say more.");
}

std::string Nccl::unique_id() const {
  nccl::UniqueId id{};
  check(f_.unique_id(&id), "to make the ranks' common id");
  std::vector<std::byte> bytes(sizeof id);
  std::memcpy(bytes.data(), &id, sizeof id);
  return files::base64(bytes);
}

NcclRank::NcclRank(std::shared_ptr<const Nccl> nccl, const Gpu& gpu, const std::string& id,
                   int ranks, int rank)
    : nccl_(std::move(nccl)), gpu_(gpu) {
  const auto bytes = files::from_base64(id);
  nccl::UniqueId common{};
  if (!bytes || bytes->size() != sizeof common) fail(kUsage, "The ranks' common id is none.");
  std::memcpy(&common, bytes->data(), sizeof common);
  check(nccl_->call().init_rank(&communicator_, ranks, common, rank), "to connect the ranks");
}

void NcclRank::check(int result, const std::string& doing) const {
  if (result != 0) (void)gpu_.free_bytes();  // any call that a dead context does not answer
  nccl_->check(result, doing);
}

// Whoever waits for a rank that is gone would wait for ever: an end in failure does not.
NcclRank::~NcclRank() {
  if (communicator_ && !gpu_.is_stuck()) nccl_->call().abort(communicator_);
}

void NcclRank::all_reduce(cuda::DevicePointer at, size_t count, ElementType type,
                          Operation operation, cuda::Stream stream) const {
  void* pointer = reinterpret_cast<void*>(at);
  check(nccl_->call().all_reduce(pointer, pointer, count, type_of(type),
                                 static_cast<int>(operation), communicator_, stream),
        "to add over the ranks");
}

void NcclRank::all_gather(cuda::DevicePointer from, cuda::DevicePointer to, size_t count,
                          ElementType type, cuda::Stream stream) const {
  check(nccl_->call().all_gather(reinterpret_cast<void*>(from), reinterpret_cast<void*>(to), count,
                                 type_of(type), communicator_, stream),
        "to gather over the ranks");
}

}  // namespace tilescope::worker
