// Whole inputs: files of the repository, and what the program itself writes.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "app/state/edit.h"
#include "app/state/session.h"
#include "app/state/state_link.h"
#include "core/files/packed_text.h"
#include "core/files/scratch_folder.h"
#include "data_target.h"
#include "kernels/registry.h"
#include "worker/engine/store/sqlite.h"
#include "worker/engine/store/sqlite_store.h"
#include "worker/protocol/frames.h"
#include "worker/protocol/protocol.h"

namespace tilescope::fuzz {
namespace {

namespace fs = std::filesystem;

std::string text_of_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Files of a folder of the repository by their ends; of each its beginning, up to a line's end.
std::vector<std::string> files_of(const char* folder, std::string_view end, size_t longest,
                                  size_t most = 60) {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(fs::path(TILESCOPE_SOURCE_DIR) / folder)) {
    if (entry.path().filename().string().ends_with(end)) paths.push_back(entry.path());
  }
  std::ranges::sort(paths);
  std::vector<std::string> texts;
  for (size_t i = 0; i < std::min(paths.size(), most); ++i) {
    std::string text = text_of_file(paths[i]);
    if (text.size() > longest) text.resize(text.rfind('\n', longest) + 1);
    texts.push_back(std::move(text));
  }
  return texts;
}

/// Some lines of each file.
std::vector<std::string> lines_of(const std::vector<std::string>& texts, size_t each) {
  std::vector<std::string> lines;
  for (const std::string& text : texts) {
    size_t at = 0;
    for (size_t n = 0; n < each && at < text.size(); ++n) {
      const size_t end = std::min(text.find('\n', at), text.size());
      if (end > at) lines.push_back(text.substr(at, end - at));
      at = end + 1;
    }
  }
  return lines;
}

std::vector<std::string> recording_files(std::string_view begin) {
  std::vector<std::string> texts;
  const fs::path folder = fs::path(TILESCOPE_SOURCE_DIR) / "assets/recordings";
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    const bool proofs = name.starts_with("proofs");
    if (proofs == (begin == "proofs")) texts.push_back(text_of_file(entry.path()));
  }
  std::ranges::sort(texts);
  return texts;
}

std::vector<AppState> some_states() {
  std::vector<AppState> states{initial_state()};
  for (const KernelEntry& kernel : kernel_table()) {
    set_kernel(states.emplace_back(initial_state()), kernel.info.id);
  }
  OwnKernel own;
  own.file = "add.cu";
  own.sheet = sheet_seeds().front();
  open_own_kernel(states.emplace_back(initial_state()), own);
  return states;
}

/// The same in pages of 512 bytes instead of 4,096, a third of the file or less: a change meets
/// what is read.
void make_small(const std::string& file) {
  worker::Database database(file, worker::Database::Mode::read_write);
  database.run(
      "PRAGMA journal_mode = DELETE; PRAGMA page_size = 512; VACUUM; PRAGMA journal_mode = WAL");
}

}  // namespace

std::vector<std::string> frame_seeds() {
  using namespace worker;
  const std::string hello = write_message(make_request(0, "initialize", make_hello()));
  const std::string call = write_message(make_request(7, "status", {{"slot", "a"}}));
  return {"-a" + encode_json_frame(hello) + encode_json_frame(call),
          "m\x03" + magic_line() + encode_json_frame(hello),
          "m\x20"
          "printed by a shell\n" +
              magic_line() + encode_json_frame(call),
          "-\x07" + encode_binary_frame(7, "trace.raw", 0, 12, "0123456") +
              encode_binary_frame(7, "trace.raw", 7, 12, "89abc"),
          "-z" + encode_json_frame(write_message(make_progress(7, {{"done", 3}, {"all", 9}}))) +
              encode_json_frame(write_message(make_cancel(7))),
          "-z" + encode_json_frame(write_message(make_result(7, {{"pid", 1}}))) +
              encode_json_frame(write_message(make_error(7, {kCancelled, 4, "Why.", {}})))};
}

std::vector<std::string> sheet_seeds() {
  std::vector<std::string> all = files_of("assets/examples", ".sheet.json", 8000);
  std::ranges::copy(files_of("assets/gallery", ".sheet.json", 8000), std::back_inserter(all));
  all.insert(all.begin(),
             R"({"entry": "f", "grid": [2, 1, 1], "block": [64, 1, 1], "cluster": [2, 1, 1],
"shared": 1024, "args": ["i32:16", "buf:f32:16x16:random:in", "buf:f32:16x16:zeros:out",
"tensormap:1:f32:16x16:16x16:swizzle=64:fill=nan"], "gemm": {"a": 1, "b": 1, "c": 2, "m": 16, "n": 16,
"k": 16, "layout": "TN", "c_order": "col", "alpha": 0, "beta": 0}, "expect": {"files": {"2": "c.npy"},
"kernel": {"file": "g.cu", "entry": "g", "args": [0, 1, 2], "grid": [1, 1, 1]}, "tolerance": 0.01},
"guesses": ["grid", "args[0]"]})");
  return all;
}

std::vector<std::string> spec_seeds() {
  const std::string map =
      "tensormap:0:f16:64x256x3:64x128x1:swizzle=128:strides=512x8192:steps=1x2x1:offset=16:";
  return {"i32:7",
          "f16:1e-3",
          "u64:18446744073709551615",
          "buf:f32:128x64:random:in",
          "buf:bf16:4096x4096:a.npy:inout",
          "in:file.bin",
          "out:4096",
          "bytes:00ff3c,@1,08",
          map + "fill=nan",
          "(M + 127) / 128 * max(N, 3) % sizeof(float)",
          "ceil(M / 3.0) * 2 + (K >> 62)",
          "_Z5sgemmILi128ELi8EEvPKfPfi"};
}

std::vector<std::string> npy_seeds() {
  std::vector<std::string> all;
  for (const char* head : {"{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }",
                           "{'descr': '<f2', 'fortran_order': True, 'shape': (7,), }",
                           "{'descr': '|u1', 'fortran_order': False, 'shape': (), }"}) {
    const std::string text = std::string(head) + "\n";
    all.push_back("\x93NUMPY\x01" + std::string(1, '\0') + static_cast<char>(text.size()) +
                  std::string(1, '\0') + text);
    all.push_back("\x93NUMPY\x02" + std::string(1, '\0') + static_cast<char>(text.size()) +
                  std::string(3, '\0') + text);
  }
  return all;
}

std::vector<std::string> lesson_seeds() { return files_of("assets/lessons", ".md", 20000, 20); }

std::vector<std::string> source_seeds() {
  std::vector<std::string> all = files_of("assets/gallery", ".cu", 20000);
  std::ranges::copy(files_of("assets/examples", ".cu", 20000), std::back_inserter(all));
  std::ranges::copy(files_of("kernels", ".cuh", 20000), std::back_inserter(all));
  return all;
}

std::vector<std::string> sass_seeds() { return files_of("tests/fixtures/tools", ".sass", 8000); }

std::vector<std::string> count_seeds() {
  const std::string head =
      "==PROF== Connected to process 4711\n\"ID\",\"Kernel Name\",\"Metric Name\",\"Metric Unit\","
      "\"Metric Value\"\n";
  return {head +
              "\"0\",\"f\",\"dram__bytes_read.sum\",\"Kbyte\",\"32,768.5\"\n\"0\",\"f\",\"x\",\"\","
              "\"n/a\"\n",
          head +
              "\"0\",\"f(\"\"a\"\")\",\"sm__pct\",\"%\",\"77.9\"\n\"1\",\"g\",\"y\",\"Mbyte\","
              "\"1e3\"\n",
          "==ERROR== ERR_NVGPUCTRPERM\n", "==ERROR== Failed to find metric dram__bytes.sum\n",
          "Version 2025.3.1.0 (build 1)\n"};
}

std::vector<std::string> result_seeds() { return lines_of(recording_files(""), 12); }
std::vector<std::string> proof_seeds() { return lines_of(recording_files("proofs"), 20); }
std::vector<std::string> layer_seeds() {
  return lines_of(files_of("tests/fixtures/store/layers", ".jsonl", 1 << 20), 20);
}

std::vector<std::string> database_seeds() {
  std::vector<std::string> all;
  for (size_t kept : {size_t{0}, size_t{1}, size_t{9}}) {
    const files::ScratchFolder folder;
    {
      worker::SqliteStore store(folder.path(), {});
      (void)store.cards();
      const auto results = result_seeds(), layers = layer_seeds();
      for (size_t i = 0; i < kept; ++i) (void)store.keep(results[i % results.size()]);
      for (size_t i = 0; i < kept / 4; ++i) {
        if (const auto layer = worker::read_layer(layers[i % layers.size()]))
          (void)store.keep_layer(*layer);
      }
    }
    make_small(worker::store_file(folder.path()));
    std::string file = text_of_file(worker::store_file(folder.path()));
    if (!file.empty()) all.push_back(std::move(file));
  }
  return all;
}

std::vector<std::string> state_seeds() {
  std::vector<std::string> all;
  for (const AppState& state : some_states()) {
    all.push_back(to_json(state).dump());
    all.push_back(shown_json(state).dump());
  }
  return all;
}

std::vector<std::string> link_seeds() {
  std::vector<std::string> all;
  for (const AppState& state : some_states()) {
    std::string error;
    const std::string link = link_of(state, &error);
    all.push_back(link);
    const auto said =
        files::unpack_text(link.substr(std::min(link.size(), link.find('.') + 1)), 1 << 16);
    if (said) all.push_back(*said);
  }
  return all;
}

std::vector<std::string> card_seeds() {
  return {
      R"([{"name": "Mine", "like": "NVIDIA H200", "sms": 100, "dram_gbps": 3000.5}])",
      R"([{"name": "A", "like": "NVIDIA H200"}, {"name": "B", "like": "NVIDIA H100 80GB HBM3"}])",
      "[]"};
}

}  // namespace tilescope::fuzz
