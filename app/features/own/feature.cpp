#include "app/state/feature.h"
#include "app/features/own/own_asker.h"
#include "app/features/own/own_measurer.h"

namespace tilescope {
namespace own_row {
namespace {

std::vector<std::unique_ptr<Asker>> askers(WorkerLink& link) {
  return list_of<OwnAsker, OwnMeasurer>(link);
}

}  // namespace
}  // namespace own_row

extern const Feature own_feature{.askers = own_row::askers};

}  // namespace tilescope
