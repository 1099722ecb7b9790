#include "tests/driver/card.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "kernels/registry.h"
#include "worker/messages/messages_json.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

fs::path fresh_folder(const std::string& name) {
  const fs::path folder = fs::path(scratch_folder()) / name;
  fs::remove_all(folder);
  fs::create_directories(folder);
  return folder;
}

}  // namespace

Card::Card(Variables more) : state_(fresh_folder("state")) {
  set("TILESCOPE_CUDA_DRIVER", TILESCOPE_TEST_DRIVER);
  set("TILESCOPE_EMULATED_STATE", state_.string());
  // The library of this machine, if it has one, knows nothing of this card.
  set("TILESCOPE_CUBLASLT", "/nowhere/libcublasLt.so.13");
  for (const auto& [name, value] : more) set(name, value);
}

Card::~Card() {
  for (const std::string& name : names_) unsetenv(name.c_str());
}

void Card::set(const std::string& name, const std::string& value) {
  setenv(name.c_str(), value.c_str(), 1);
  names_.push_back(name);
}

bool Card::has_mark(const std::string& prefix) const {
  for (const auto& file : fs::directory_iterator(state_)) {
    if (file.path().filename().string().starts_with(prefix)) return true;
  }
  return false;
}

std::string kernels_with(const std::string& text, const std::string& replacement) {
  return kernels_with("01_naive.cuh", text, replacement);
}

std::string kernels_with(const std::string& file, const std::string& text,
                         const std::string& replacement) {
  std::ifstream in(TILESCOPE_SOURCE_DIR "/kernels/" + file);
  std::string source{std::istreambuf_iterator<char>(in), {}};
  const size_t at = source.rfind(text);
  EXPECT_NE(at, source.npos) << file << " has no " << text;
  if (at != source.npos) source.replace(at, text.size(), replacement);
  const fs::path folder = fresh_folder("kernels");
  fs::create_directories((folder / file).parent_path());
  std::ofstream(folder / file) << source;
  return folder.string();
}

std::string wrong_kernels() { return kernels_with("int k = 0;", "int k = 1;"); }

CliResult bench(const std::vector<std::string>& arguments) {
  std::vector<std::string> all{"bench", "--json"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return run_cli(all);
}

void expect_sentence(std::vector<std::string> arguments, int code, const std::string& part) {
  arguments.push_back("--json");
  const CliResult result = run_cli(arguments);
  EXPECT_EQ(result.code, code) << result.err;
  EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  const nlohmann::json document = result.json();
  ASSERT_TRUE(document.is_object()) << result.out;
  EXPECT_EQ(document["error"]["code"], code);
  EXPECT_EQ("tilescope-cli: " + document["error"]["message"].get<std::string>() + "\n", result.err);
}

namespace worker {

RealWorker::RealWorker(const std::string& kernel_dir)
    : client_(Client::start_process({TILESCOPE_CLI, {"worker"}, kernel_dir})) {}

Asked RealWorker::ask(const std::string& device, const std::string& method, nlohmann::json params) {
  return worker::ask(*client_, device, method, std::move(params));
}

Reply RealWorker::call(const std::string& device, const std::string& method,
                       nlohmann::json params) {
  const Asked asked = ask(device, method, std::move(params));
  client_->wait(asked.id, kLimitMs);
  EXPECT_TRUE(asked.reply->ended) << method << " on " << device;
  return *asked.reply;
}

std::vector<int> RealWorker::children(const std::string& kind) {
  std::vector<int> pids;
  const Reply status = call("", "status");
  for (const nlohmann::json& pool : status.result.at("pools")) {
    if (pool.at("kind") != kind) continue;
    for (const nlohmann::json& child : pool.at("children")) pids.push_back(child.at("pid"));
  }
  return pids;
}

int RealWorker::supervisor() { return call("", "status").result.value("pid", 0); }

bool hangs(RealWorker& worker, const Card& card, const Asked& asked) {
  const bool waited = eventually([&] {
    worker.client().poll();
    return card.has_mark("hanging-") || asked.reply->ended;
  });
  EXPECT_FALSE(asked.reply->ended) << asked.reply->error.message;
  return waited && !asked.reply->ended;
}

nlohmann::json request(const std::string& kernel, int size) {
  const KernelEntry& entry = *find_kernel(kernel.c_str());
  KernelRequest r{kernel, entry.sliders.defaults(), default_problem(entry.info)};
  r.problem.m = r.problem.n = r.problem.k = size;
  return r;
}

}  // namespace worker
}  // namespace tilescope
