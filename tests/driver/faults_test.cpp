// What goes wrong on cuda:N, through the real processes: one sentence each, the right exit code,
// and what is still well goes on.
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <fstream>
#include <utility>

#include "tests/driver/card.h"

extern char** environ;

namespace tilescope {
namespace {

using nlohmann::json;
using worker::RealWorker;
using worker::Reply;
using worker::request;

constexpr int kCancelledCode = -32800;
const char* const kRestarted = ". GPU process restarted; your session is intact";

std::vector<std::string> bench_of(const std::string& device, const std::string& size = "64") {
  return {"bench", "--device", device, "--kernel", "naive", "--size", size};
}

TEST(NoCard, IsOneSentence) {
  {
    const Card card{{"TILESCOPE_EMULATED_FAULT", "no_device"}};
    expect_sentence(bench_of("cuda:0"), 3, "it sees no GPU; check nvidia-smi");
    expect_sentence({"fragments", "--prove", "--device", "cuda:0", "--search", "m16n8k8"}, 3,
                    "it sees no GPU; check nvidia-smi");
  }
  {
    const Card card{{"TILESCOPE_EMULATED_FAULT", "init:803"}};
    expect_sentence(bench_of("cuda:0"), 3,
                    "does not start (CUDA_ERROR_SYSTEM_DRIVER_MISMATCH); check nvidia-smi, and "
                    "reboot");
  }
  {
    const Card card{{"TILESCOPE_EMULATED_DEVICES", "2"}};
    expect_sentence(bench_of("cuda:2"), 3,
                    "there is no device cuda:2; there is cuda:0, cuda:1, emulator");
    expect_sentence({"fragments", "--prove", "--device", "cuda:2", "--search", "m16n8k8"}, 3,
                    "There is no GPU cuda:2; this machine has 2 GPUs");
  }
  const Card card{{"TILESCOPE_CUDA_DRIVER", "/nowhere/libcuda.so.1"}};
  for (const auto& arguments :
       {bench_of("cuda:0"),
        {"fragments", "--prove", "--device", "cuda:0", "--search", "m16n8k8"}}) {
    expect_sentence(arguments, 3, "install the driver to measure on a GPU. The emulator");
  }
  EXPECT_EQ(run_cli({"doctor"}).code, can_compile() ? 0 : 3) << "the main job needs no driver";
}

TEST(NoCard, ADriverThatIsTooOld) {
  TILESCOPE_NEED_NVRTC();
  const Card card{{"TILESCOPE_EMULATED_DRIVER", "11.4"}};
  expect_sentence(bench_of("cuda:0"), 3,
                  "The driver, which supports CUDA 11.4, does not load code made by NVRTC 1");
  expect_sentence(bench_of("cuda:0"), 3,
                  "update the driver, or set TILESCOPE_NVRTC to an NVRTC of CUDA 11");
  for (const json& finding : run_cli({"doctor", "--json"}).json()) {
    if (finding["what"] != "driver") continue;
    EXPECT_EQ(finding["state"], "degraded");
    EXPECT_EQ(finding["version"], "CUDA 11.4 (Emulated GPU)");
    EXPECT_NE(finding["fix"].get<std::string>().find("older than NVRTC"), std::string::npos);
  }
  // The probes are PTX of their own, each of the oldest version that has its instruction.
  const CliResult probe = run_cli({"fragments", "--prove", "--device", "cuda:0", "--atom",
                                   "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32"});
  EXPECT_EQ(probe.code, 3) << probe.out;
  EXPECT_NE(probe.out.find("CUDA_ERROR_UNSUPPORTED_PTX_VERSION"), std::string::npos) << probe.out;
  EXPECT_NE(probe.out.find("update the driver"), std::string::npos) << probe.out;
}

TEST(KernelFault, IsNamedAndTheNextCallIsRight) {
  TILESCOPE_NEED_NVRTC();
  const Card card{{"TILESCOPE_EMULATED_FAULT", "illegal_instruction:01_naive"}};
  expect_sentence(bench_of("cuda:0"), 4,
                  std::string("Kernel faulted: illegal instruction in naive") + kRestarted);
  RealWorker worker;
  ASSERT_TRUE(worker.call("cuda:0", "verify", request("thread_tile_2d", 64)).ok);
  const std::vector<int> before = worker.children("cuda:0");
  const Reply faulted = worker.call("cuda:0", "measure", request("naive", 64));
  EXPECT_EQ(faulted.error.exit_code, 4);
  EXPECT_EQ(faulted.error.message,
            std::string("Kernel faulted: illegal instruction in naive") + kRestarted + ".");
  EXPECT_EQ(worker.client().notice(), faulted.error.message);
  const Reply after = worker.call("cuda:0", "verify", request("thread_tile_2d", 64));
  ASSERT_TRUE(after.ok) << after.error.message;
  EXPECT_EQ(after.result["ok"], true);
  EXPECT_NE(worker.children("cuda:0"), before) << "in a new process";
}

TEST(KernelFault, OfOneInstructionLeavesTheProofsOfTheOthers) {
  const Card card{{"TILESCOPE_EMULATED_FAULT", "illegal_instruction:m16n8k8.row.col.f32.bf16"}};
  const CliResult result =
      run_cli({"fragments", "--prove", "--device", "cuda:0", "--json", "--search", "m16n8k8"});
  EXPECT_EQ(result.code, 4) << result.err;
  const json proofs = result.json();
  ASSERT_GT(proofs.size(), 2u) << result.out;
  for (const json& proof : proofs) {
    const bool faults = proof["atom"].get<std::string>().find("f32.bf16") != std::string::npos;
    EXPECT_EQ(proof["ok"], !faults) << proof.dump();
    if (faults) {
      EXPECT_NE(proof["failed"].get<std::string>().find("illegal instruction in the probe"),
                std::string::npos);
    }
  }
}

// No wish of the driver: the kernels themselves are wrong, and the emulator finds it.
TEST(KernelFault, OfTheKernelsOwn) {
  TILESCOPE_NEED_NVRTC();
  const Card card;
  const auto fault_of = [](const std::string& line) {
    return bench({"--device", "cuda:0", "--kernel", "naive", "--size", "64", "--kernel-dir",
                  kernels_with("float sum[1] = {};", "float sum[1] = {}; " + line)})
        .err;
  };
  EXPECT_NE(fault_of("sum[0] += a[1 << 24];").find("illegal address in naive"), std::string::npos);
  EXPECT_NE(fault_of("sum[0] += *(const float*)((const char*)a + 2);")
                .find("misaligned address in naive"),
            std::string::npos);
  EXPECT_NE(fault_of("asm volatile(\"trap;\");").find("launch failure in naive"),
            std::string::npos);
}

TEST(Memory, IsAskedForBeforeItIsTaken) {
  TILESCOPE_NEED_NVRTC();
  const Card card{{"TILESCOPE_EMULATED_MEMORY", "100000000"}};
  EXPECT_EQ(
      bench(std::vector<std::string>{"--device", "cuda:0", "--kernel", "naive", "--size", "64"})
          .code,
      0);
  // 4096³ in f32: three matrices of 67 MB, a reference of 134 MB, the workspace and the L2 twice.
  expect_sentence(bench_of("cuda:0", "4096"), 3, "Emulated GPU: needs 404.8 MB, ");
  expect_sentence(bench_of("cuda:0", "4096"), 3,
                  " MB free; choose a smaller problem or free memory on the card");
}

TEST(Memory, ThatRunsOutIsNoFault) {
  TILESCOPE_NEED_NVRTC();
  // Above the library's workspace of 67 MB, which every problem has.
  const Card card{{"TILESCOPE_EMULATED_FAULT", "out_of_memory_above:68000000"}};
  RealWorker worker;
  ASSERT_TRUE(worker.call("cuda:0", "verify", request("naive", 64)).ok);
  const std::vector<int> before = worker.children("cuda:0");
  json large = request("naive", 64);
  large["problem"]["m"] = large["problem"]["n"] = 3000;  // a reference of 72 MB
  const Reply failed = worker.call("cuda:0", "verify", large);
  EXPECT_EQ(failed.error.exit_code, 3);
  EXPECT_NE(failed.error.message.find("no piece of 72.0 MB to be had, although "),
            std::string::npos)
      << failed.error.message;
  const Reply after = worker.call("cuda:0", "verify", request("naive", 64));
  ASSERT_TRUE(after.ok) << after.error.message;
  EXPECT_EQ(after.result["ok"], true);
  EXPECT_EQ(worker.children("cuda:0"), before) << "in the same process";
}

TEST(Hang, IsEndedByCancellingAndTheNextCallIsRight) {
  TILESCOPE_NEED_NVRTC();
  const Card card{{"TILESCOPE_EMULATED_FAULT", "hang:01_naive"}};
  RealWorker worker;
  const worker::Asked hung = worker.ask("cuda:0", "measure", request("naive", 64));
  ASSERT_TRUE(worker::hangs(worker, card, hung));
  const std::vector<int> before = worker.children("cuda:0");
  ASSERT_EQ(before.size(), 1u);
  EXPECT_TRUE(worker::alive(before[0]));
  worker.client().cancel(hung.id);
  ASSERT_TRUE(worker.client().wait(hung.id, worker::kLimitMs));
  EXPECT_EQ(hung.reply->error.code, kCancelledCode);
  EXPECT_NE(hung.reply->error.message.find("its process was ended"), std::string::npos);
  const Reply after = worker.call("cuda:0", "verify", request("thread_tile_2d", 64));
  ASSERT_TRUE(after.ok) << after.error.message;
  EXPECT_EQ(after.result["ok"], true);
  EXPECT_FALSE(worker::alive(before[0]));
}

TEST(Hang, IsEndedByTheTimeLimitAndTheNextCallIsRight) {
  TILESCOPE_NEED_NVRTC();
  const Card card{{"TILESCOPE_EMULATED_FAULT", "hang:01_naive"}};
  std::vector<std::string> limited = bench_of("cuda:0");
  limited.insert(limited.end(), {"--time-limit", "0.2"});
  expect_sentence(limited, 4,
                  std::string("Kernel stopped: naive was not done after 0.2 s, the limit of a "
                              "launch; look for a loop or a barrier that never ends, or allow more "
                              "with --time-limit SECONDS") +
                      kRestarted);
  RealWorker worker;
  json endless = request("naive", 64);
  endless["time_limit"] = 0.2;
  const Reply stopped = worker.call("cuda:0", "measure", endless);
  EXPECT_EQ(stopped.error.exit_code, 4);
  EXPECT_NE(stopped.error.message.find("Kernel stopped: naive"), std::string::npos);
  json fast = request("thread_tile_2d", 64);
  fast["time_limit"] = 60;
  const Reply after = worker.call("cuda:0", "verify", fast);
  ASSERT_TRUE(after.ok) << after.error.message;
  EXPECT_EQ(after.result["ok"], true);
}

// The call never comes back, and no limit of a launch is there to end it.
TEST(Hang, OfTheDriverItselfIsEndedWithASentence) {
  const Card card{{"TILESCOPE_EMULATED_FAULT", "init_hangs"}, {"TILESCOPE_DRIVER_LIMIT", "0.5"}};
  const std::string search =
      "The search for devices had no answer of NVIDIA's driver within 0.5 s and was ended: the "
      "driver or the card hangs. See whether nvidia-smi answers; if it does not, reset the card or "
      "reboot. Meanwhile take --device emulator";
  expect_sentence(bench_of("cuda:0"), 3, "cuda:0 is not available: " + search);
  expect_sentence(bench_of("cuda"), 3, "there is no card: " + search);
  expect_sentence(
      {"fragments", "--prove", "--device", "cuda:0", "--search", "m16n8k8"}, 4,
      "The process of GPU 0 gave no sign of life for 0.5 s and was ended: the driver or "
      "the card hangs.");
  // What needs no card goes on beside it.
  EXPECT_EQ(run_cli({"fragments", "--prove", "--device", "emulator", "--search", "m16n8k8"}).code,
            0);
}

TEST(Hang, TheLimitIsTenSecondsUnlessItIsGiven) {
  for (const char* command : {"bench", "sweep"}) {
    const CliResult help = run_cli({command, "--help"});
    EXPECT_NE(help.out.find("--time-limit"), std::string::npos) << command;
    EXPECT_NE(help.out.find("default 10"), std::string::npos) << command;
    const CliResult bad = run_cli({command, "--time-limit", "0"});
    EXPECT_EQ(bad.code, 2) << command;
  }
}

// Warps that wait for ever at a barrier: no wish of the driver either.
TEST(Hang, OfTheKernelsOwnEndsWithTheCommand) {
  TILESCOPE_NEED_NVRTC();
  const Card card;
  const std::string kernels =
      kernels_with("float sum[1] = {};", "float sum[1] = {}; asm volatile(\"bar.sync 1, 512;\");");
  const std::string program = TILESCOPE_CLI;
  std::vector<std::string> words = bench_of("cuda:0");
  words.insert(words.begin(), program);
  words.insert(words.end(), {"--kernel-dir", kernels});
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_t command = 0;
  ASSERT_EQ(posix_spawn(&command, program.c_str(), nullptr, nullptr, argv.data(), environ), 0);
  ASSERT_TRUE(worker::eventually([&] { return card.has_mark("hanging-"); }));
  std::vector<int> all = worker::children_of(command);
  for (size_t i = 0; i < all.size(); ++i) {
    for (const int child : worker::children_of(all[i])) all.push_back(child);
  }
  EXPECT_GE(all.size(), 2u) << "the supervisor, and the card's process at least";
  kill(command, SIGINT);
  int status = 0;
  ASSERT_EQ(waitpid(command, &status, 0), command);
  EXPECT_TRUE(worker::eventually([&] {
    return std::none_of(all.begin(), all.end(), worker::alive);
  })) << "nothing is left behind";
}

TEST(LostCard, IsLeftUntilItIsBackAndTheOtherGoesOn) {
  TILESCOPE_NEED_NVRTC();
  const Card card{{"TILESCOPE_EMULATED_DEVICES", "2"}, {"TILESCOPE_EMULATED_FAULT", "lost@1:4"}};
  RealWorker worker;
  ASSERT_TRUE(worker.call("cuda:0", "verify", request("naive", 64)).ok);
  const Reply lost = worker.call("cuda:1", "measure", request("naive", 64));
  EXPECT_EQ(lost.error.exit_code, 4);
  EXPECT_EQ(lost.error.message,
            "The GPU does not answer any more (CUDA_ERROR_DEVICE_UNAVAILABLE); the result is "
            "discarded and the card needs a reset: nvidia-smi -r, or a reboot. The process of GPU "
            "1 has ended, and the next call on it looks whether it is back; the emulator and "
            "everything else still work.");
  EXPECT_TRUE(worker.children("cuda:1").empty()) << "no process is started for a card that is gone";
  const Reply still = worker.call("cuda:1", "verify", request("naive", 64));
  EXPECT_EQ(still.error.exit_code, 3);
  EXPECT_EQ(still.error.message.find("cuda:1 takes no work (CUDA_ERROR_DEVICE_UNAVAILABLE)"), 0u)
      << still.error.message;
  EXPECT_TRUE(worker::eventually([&] { return worker.children("cuda:1").empty(); }))
      << "its driver would not see that the card is back";
  const Reply other = worker.call("cuda:0", "verify", request("naive", 64));
  ASSERT_TRUE(other.ok) << other.error.message;
  EXPECT_EQ(other.result["ok"], true);

  const json devices = worker.call("", "devices").result.at("devices");
  EXPECT_EQ(devices[0]["available"], true);
  EXPECT_EQ(devices[1]["available"], false);
  expect_sentence(bench_of("cuda:1"), 3,
                  "cuda:1 is not available: cuda:1 takes no work (CUDA_ERROR_DEVICE_UNAVAILABLE)");
  EXPECT_EQ(bench({"--device", "cuda:0", "--kernel", "naive", "--size", "64"}).code, 0);

  std::ofstream(card.state() / "back-1").put('\n');  // the card was reset
  const Reply back = worker.call("cuda:1", "verify", request("naive", 64));
  ASSERT_TRUE(back.ok) << back.error.message << ": without a restart by hand";
  EXPECT_EQ(back.result["ok"], true);
  EXPECT_EQ(worker.call("", "devices").result.at("devices")[1]["available"], true);
}

TEST(LostCard, InTheMiddleOfAnyCall) {
  TILESCOPE_NEED_NVRTC();
  for (const auto& [fault, part] :
       {std::pair{"lost:copy:1:214", "reports an uncorrectable memory error"},
        {"lost:query:3:999", "does not answer any more (CUDA_ERROR_UNKNOWN)"},
        {"lost:load:1:802", "does not answer any more (CUDA_ERROR_SYSTEM_NOT_READY)"}}) {
    const Card card{{"TILESCOPE_EMULATED_FAULT", fault}};
    expect_sentence(bench_of("cuda:0"), 4, part);
    expect_sentence(bench_of("cuda:0"), 3, "cuda:0 is not available: ");
    std::ofstream(card.state() / "back-0").put('\n');
    EXPECT_EQ(bench({"--device", "cuda:0", "--kernel", "naive", "--size", "64"}).code, 0) << fault;
  }
}

TEST(LostCard, ADriverThatDoesNotStartIsLookedForAnewByEachCall) {
  TILESCOPE_NEED_NVRTC();
  const Card card{{"TILESCOPE_EMULATED_FAULT", "lost:0:999"}};
  RealWorker worker;
  EXPECT_EQ(worker.call("cuda:0", "verify", request("naive", 64)).error.exit_code, 4);
  const Reply still = worker.call("cuda:0", "verify", request("naive", 64));
  EXPECT_EQ(still.error.exit_code, 3);
  EXPECT_NE(still.error.message.find("does not start (CUDA_ERROR_UNKNOWN)"), std::string::npos)
      << still.error.message;
  EXPECT_EQ(worker.call("", "devices").result.at("devices")[0]["available"], false);
  std::ofstream(card.state() / "back-0").put('\n');
  const Reply back = worker.call("cuda:0", "verify", request("naive", 64));
  EXPECT_TRUE(back.ok) << back.error.message;
  EXPECT_EQ(worker.call("", "devices").result.at("devices")[0]["available"], true);
}

TEST(LostCard, EndsTheProofsOfAllInstructions) {
  const Card card{{"TILESCOPE_EMULATED_FAULT", "lost:0"}};
  expect_sentence({"fragments", "--prove", "--device", "cuda:0", "--search", "m16n8k8"}, 4,
                  "does not answer any more (CUDA_ERROR_DEVICE_UNAVAILABLE)");
}

TEST(LostCard, AMemoryErrorOfTheCardStopsItToo) {
  TILESCOPE_NEED_NVRTC();
  const Card card{{"TILESCOPE_EMULATED_FAULT", "ecc:01_naive"}};
  expect_sentence(bench_of("cuda:0"), 4,
                  "The GPU reports an uncorrectable memory error; the result is discarded and the "
                  "card needs a reset. The process of GPU 0 has ended");
}

}  // namespace
}  // namespace tilescope
