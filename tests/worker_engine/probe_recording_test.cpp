// Proofs among the recordings.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support.h"
#include "worker/engine/gpu/recording.h"
#include "worker/engine/probe/proofs.h"

namespace tilescope::worker {
namespace {

std::string line(const std::string& atom, const std::string& device, const std::string& date,
                 uint64_t wrong = 0) {
  Proof p;
  p.atom = atom, p.device = device, p.date = date;
  p.compared = 10, p.wrong = wrong, p.ok = wrong == 0;
  return nlohmann::json(p).dump() + "\n";
}

TEST(Proofs, TheBestOfEachAtomIsRead) {
  const TemporaryFolder folder;
  Proof never;
  never.atom = "d", never.device = "NVIDIA H200", never.date = "2026-11-20";
  never.unsupported = "It has none.";
  write_text(folder.path() + "/proofs-1.json",
             line("a", "NVIDIA H200", "2026-11-20") + "damaged\n\n{\"atom\":1}\n" +
                 line("b", "NVIDIA H200", "2026-11-19") + nlohmann::json(never).dump() + "\n");
  write_text(folder.path() + "/proofs-2.json", line("a", "emulator", "2026-12-01") +
                                                   line("b", "NVIDIA A100", "2026-11-21", 3) +
                                                   line("c", "emulator", "2026-11-20"));
  write_text(folder.path() + "/h200.json", line("e", "NVIDIA H200", "2026-11-20"));
  const auto proofs = read_proofs(folder.path());
  ASSERT_EQ(proofs.size(), 3u);
  EXPECT_EQ(proofs.at("a").device, "NVIDIA H200");
  EXPECT_EQ(proofs.at("b").date, "2026-11-21");
  EXPECT_FALSE(proofs.at("b").ok);
  EXPECT_EQ(proofs.at("c").device, "emulator");
  EXPECT_TRUE(read_proofs(folder.path() + "/none").empty());
  // Files of proofs are no measurements, not even damaged ones.
  int skipped = 0;
  EXPECT_TRUE(read_recordings(folder.path(), &skipped).empty());
  EXPECT_EQ(skipped, 1);
}

}  // namespace
}  // namespace tilescope::worker
