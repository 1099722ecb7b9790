// The flags that name a kernel, a tile and a problem, the same in every command.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "core/model/device_table.h"
#include "kernels/registry.h"
#include "worker/messages/messages.h"

namespace tilescope::cli {

struct RequestOptions {
  std::string kernel = "mma_multistage";
  std::vector<std::string> sizes;
  std::string layout, c_order, types, alpha, beta, lda, ldb, ldc;
  bool bias = false;
  std::vector<std::string> tiles;
  std::string device = "emulator";
  std::string host;  // where that device is, for ssh; empty: here
  std::string kernel_dir;

  void add_to(CLI::App& app);
};

/// --device: "ssh:HOST/cuda:0" is the device cuda:0 on a host, "ssh:HOST" its first card. Throws
/// (exit code 2) if that can be no host.
void read_device(const std::string& text, std::string& device, std::string& host);

/// --time-limit: seconds of one launch on a card.
/// --kernel-dir: a folder of kernels in place of those in the program.
void add_kernel_dir(CLI::App& app, std::string& folder);
void add_time_limit(CLI::App& app, double& seconds);

/// --whole.
inline constexpr const char* kWholeHelp =
    "in the emulator: verify all of C, not some CTAs' tiles alone (a card's C always is)";

/// How a card measures, the same for bench and sweep.
struct MeasureFlags {
  double time_limit = 10;  // seconds of one launch
  double seconds = 2;      // of taking samples
  double rest = 3;         // between samples, as a multiple of the time that they took
  bool counters = false;   // read the card's own, in a run of their own (bench alone)
  bool no_counts = false;  // what the emulator counts and checks beside it is left out
  bool whole = false;      // the emulator verifies all of C

  void add_to(CLI::App& app);
};

/// What the flags ask for. Nothing is checked against a device yet.
struct Request {
  const KernelEntry* kernel = nullptr;
  TileConfig tile;
  Problem problem;
  int sms = kDefaultSms;  // of the card that it is for
  int sums_of = 0;        // of products in the emulator (arithmetic_flag.h)

  worker::KernelRequest message() const { return {kernel->info.id, tile, problem, sms, sums_of}; }
  KernelPlan plan() const { return kernel->plan(tile, problem, sms); }
};

/// One request; several sizes or tiles are a usage error.
Request one_request(const RequestOptions& options);
/// Every size with every tile, for bench.
std::vector<Request> all_requests(const RequestOptions& options);

/// Makes the request one for this card. Throws (exit code 2) with the sentence and the nearest
/// legal tile.
void require_legal(Request& request, const DeviceLimits& limits);

/// The row of the device table behind --device: a recording's GPU, a GPU by name, or the default
/// for the emulator. Throws for cuda:N, which only the worker knows.
const model::DeviceRow& device_row(const std::string& device);
/// cuda:N, or `cuda`: the first card, or the one of a rank.
bool is_cuda(const std::string& device);

}  // namespace tilescope::cli
