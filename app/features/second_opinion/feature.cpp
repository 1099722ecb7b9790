#include "app/state/feature.h"
#include "app/features/second_opinion/opinion_asker.h"

namespace tilescope {
namespace second_opinion_row {
namespace {

std::vector<std::unique_ptr<Asker>> askers(WorkerLink& link) { return list_of<OpinionAsker>(link); }

}  // namespace
}  // namespace second_opinion_row

extern const Feature second_opinion_feature{.askers = second_opinion_row::askers};

}  // namespace tilescope
