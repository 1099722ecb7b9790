// What traffic is counted in: bytes, or elements of the operands, as the notes do.
#pragma once

namespace tilescope::model {

enum class Count { bytes, elements };

}  // namespace tilescope::model
