// Stands in for app/state/app_model.cpp until that file exists: a window without a state.
#include "app/app_model.h"

namespace tilescope {

std::unique_ptr<AppModel> make_app_model(const StartOptions&) {
  return std::make_unique<AppModel>();
}

}  // namespace tilescope
