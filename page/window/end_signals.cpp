// Nobody sends signals to a page.
#include "app/shell/end_signals.h"

namespace tilescope {

struct EndSignals::State {};

EndSignals::EndSignals() : state_(std::make_unique<State>()) {}
EndSignals::~EndSignals() = default;
bool EndSignals::asked() const { return false; }
void EndSignals::on_asked(std::function<void()>) {}

}  // namespace tilescope
