// Clusters of CTAs: what would need them is refused, with a sentence, before it runs.
#include "support.h"

namespace tilescope::emulator::test::cluster_file {
namespace {

/// The first word of the output is what the body leaves in %r5.
std::string with_directives(const std::string& directives, const std::string& body) {
  std::string text = kernel(body + "st.global.u32 [%rd1], %r5;\n");
  const std::string head = "(.param .u64 in, .param .u64 out)\n";
  return text.replace(text.find(head), head.size(), head + directives + "\n");
}
const std::string kRank = "mov.u32 %r5, %cluster_ctarank;\nadd.u32 %r5, %r5, 7;\n";

TEST(Clusters, OfSeveralCtasAreRefused) {
  for (const char* directives :
       {".reqnctapercluster 2, 1, 1", ".reqnctapercluster 2", ".reqnctapercluster 1, 1, 4",
        ".explicitcluster\n.reqnctapercluster 2, 2, 1",
        ".reqntid 32\n.blocksareclusters\n"
        ".reqnctapercluster 2, 1, 1",
        ".explicitcluster"}) {
    for (const std::string& body : {std::string("mov.u32 %r5, 1;\n"), kRank}) {
      const auto errors = errors_of(with_directives(directives, body));
      ASSERT_EQ(errors.size(), 1u) << directives;
      EXPECT_GE(errors[0].ptx_line, 5) << directives;
      EXPECT_NE(errors[0].message.find("'k' "), std::string::npos) << errors[0].message;
      EXPECT_NE(errors[0].message.find("cluster"), std::string::npos) << errors[0].message;
      EXPECT_NE(errors[0].message.find("1, 1, 1"), std::string::npos) << errors[0].message;
    }
  }
  const auto errors = errors_of(with_directives(".reqnctapercluster 2, 1, 1", kRank));
  EXPECT_NE(errors[0].message.find("PTX line 6: 'k' asks for clusters of 2 x 1 x 1 CTAs"),
            std::string::npos)
      << errors[0].message;
}

TEST(Clusters, OfOneCtaAreAsNone) {
  for (const char* directives : {"", ".reqnctapercluster 1",
                                 ".explicitcluster\n"
                                 ".reqnctapercluster 1, 1, 1",
                                 ".maxclusterrank 1"}) {
    const Outcome o = run_kernel(with_directives(directives, kRank), 32, 1, {1}, {}, 3);
    ASSERT_FALSE(o.result.fault) << directives << o.result.fault->message;
    EXPECT_EQ(o.out[0], 7u) << directives;
  }
}

// Such a kernel is launched in clusters as its launch says; without them it runs as well.
TEST(Clusters, RegistersOfAKernelMadeForThemAreRefused) {
  const std::string most = ".maxclusterrank 8";
  const Outcome o = run_kernel(with_directives(most, "mov.u32 %r5, 9;\n"), 32, 1, {1});
  ASSERT_FALSE(o.result.fault);
  EXPECT_EQ(o.out[0], 9u);
  for (const char* name : {"%cluster_ctaid.x", "%cluster_ctarank", "%cluster_nctaid.y",
                           "%cluster_nctarank", "%clusterid.x", "%nclusterid.z"}) {
    const auto errors =
        errors_of(with_directives(most, std::string("mov.u32 %r5, ") + name + ";\n"));
    ASSERT_EQ(errors.size(), 1u) << name;
    EXPECT_NE(errors[0].message.find(std::string(name) + " is read in 'k'"), std::string::npos)
        << errors[0].message;
    EXPECT_NE(errors[0].message.find("up to 8 CTAs"), std::string::npos) << errors[0].message;
  }
  EXPECT_EQ(errors_of(with_directives(".reqnctapercluster 1",
                                      "mov.pred %p1, "
                                      "%is_explicit_cluster;\n"))
                .size(),
            1u);
}

}  // namespace
}  // namespace tilescope::emulator::test::cluster_file
