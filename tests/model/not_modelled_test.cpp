// What the model does not know of a plan it says.
#include "core/model/not_modelled.h"

#include <gtest/gtest.h>

#include "core/layout/atom_plan.h"
#include "core/model/formulas.h"
#include "tests/every_kernel.h"

namespace tilescope::model {
namespace {

TEST(NotModelled, EveryPartOfEveryKernelIsKnown) {
  for (const KernelEntry& kernel : kernel_table()) {
    const Problem p = default_problem(kernel.info);
    EXPECT_EQ(not_modelled(kernel.plan(kernel.sliders.defaults(), p)), "") << kernel.info.id;
  }
}

TEST(NotModelled, APartThatTheModelDoesNotKnowIsNamedWhereItsFiguresStand) {
  const MmaSpec wgmma{.kind = MmaKind::wgmma, .m = 64, .n = 64, .k = 16};
  const KernelPlan plan = atom_plan(make_mma(wgmma), 1, 1, 128, Swizzle::b128);
  const std::string said = "not modelled: copies of A, copies of B";
  EXPECT_EQ(not_modelled(plan), said);
  const Analysis a = analyse(plan, atom_problem(plan), launch_of(plan), device_table().front());
  EXPECT_EQ(a.prediction.not_modelled, said);
  EXPECT_EQ(a.prediction.remark(), said + "; never measured: wgmma with A in registers");
  bool told = false;
  for (const Formula& f : launch_formulas(a)) {
    told = told || (f.key == "time.us" && f.symbols.find(said) != f.symbols.npos);
  }
  EXPECT_TRUE(told);
}

TEST(NotMeasured, AKindThatNoCardHasTimedIsNamed) {
  for (const KernelEntry& kernel : kernel_table()) {
    const KernelPlan plan = kernel.plan(kernel.sliders.defaults(), default_problem(kernel.info));
    EXPECT_EQ(not_measured(plan, 0), "") << kernel.info.id;
    EXPECT_NE(not_measured(plan, 2552).find("2552 spilled bytes a thread"), std::string::npos);
  }
}

}  // namespace
}  // namespace tilescope::model
