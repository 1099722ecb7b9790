#include "app/state/feature.h"
#include "app/features/source/exporter.h"
#include "app/features/source/source_answers.h"

namespace tilescope {
namespace source_row {
namespace {

std::vector<std::unique_ptr<Asker>> askers(WorkerLink& link) { return list_of<Exporter>(link); }

}  // namespace
}  // namespace source_row

extern const Feature source_feature{.askers = source_row::askers, .answers = source_answers};

}  // namespace tilescope
