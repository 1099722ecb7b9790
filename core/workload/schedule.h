// When each rank does what: products and sums one after the other, transfers beside them.
#pragma once
#include <functional>
#include <vector>

#include "core/workload/workload.h"

namespace tilescope::workload {

/// A step's chunk; a chunk of −1 is all of them.
struct ChunkOf {
  int step = -1, chunk = -1;
};

/// What had to end before something could begin: the last of it.
struct Cause {
  enum class Kind {
    none,     // nothing: it begins at once
    lane,     // what its rank does before it, or the transfer before it on the link
    operand,  // a step whose result it reads
    pass,     // the forward pass
    alone,    // a transfer that nothing runs beside
  };
  Kind kind = Kind::none;
  ChunkOf of = {};
};

/// One chunk of a step on one rank; of a collective, one chunk on all ranks.
struct Bar {
  int step = 0, chunk = 0;
  int rank = 0;  // −1: of all, a transfer
  double begin_us = 0, end_us = 0;
  // Of a schedule; of a measured bar nobody knows.
  Cause cause = {};
  double asked_us = 0;  // a transfer's, before `begin_us` where it had to wait for SMs …
  ChunkOf holder = {};  // … that this product had
  double us() const { return end_us - begin_us; }
};

struct Schedule {
  std::vector<Bar> bars;  // in the order in which they end
  double forward_us = 0;  // until the last step of that pass has ended, transfers too
  double total_us = 0;
};

/// Microseconds of a chunk of a step alone; `rank` is −1 of a collective.
using ChunkTime = std::function<double(int step, int chunk, int rank)>;

/// How a transfer and a product that run at the same time slow each other down: the transfer begins
/// only when a CTA of each running product has ended and left its SM, and then holds some SMs until
/// it has ended itself.
struct Beside {
  double product = 1;  // speed of a product beside a transfer, as a share of its speed alone
  ChunkTime wait;      // microseconds that a CTA of the chunk may take; empty: none
};

/// Each rank goes through the steps in their order. A collective begins once all ranks have
/// computed what it reads; if the layer has no `overlap`, no rank goes on before it has ended. The
/// backward pass begins when the whole forward pass has ended, since the loss depends on all of it.
Schedule schedule(const Workload& w, const ChunkTime& time, const Beside& beside);

}  // namespace tilescope::workload
