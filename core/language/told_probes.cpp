// What is said of devices that are searched for, and of maps that are proven on them
// (worker/engine/probe, worker/process/pool_words.cpp).
#include "core/language/told.h"

namespace tilescope {
namespace {

constexpr Told kToldByProbes[] = {
    {"The search for devices had no answer of NVIDIA's driver within {} s and was ended: the "
     "driver or the card hangs. See whether nvidia-smi answers; if it does not, reset the card or "
     "reboot. Meanwhile take --device emulator, which needs neither; "
     "TILESCOPE_DRIVER_LIMIT=SECONDS allows a slow driver more."},
    {"The process of {} gave no sign of life for {} s and was ended: the driver or the card hangs. "
     "See whether nvidia-smi answers; if it does not, reset the card or reboot. Meanwhile take "
     "--device emulator, which needs neither; TILESCOPE_DRIVER_LIMIT=SECONDS allows a slow driver "
     "more."},
    {"The driver, which supports CUDA {}, does not compile it for {}: {}."},
    {"The driver, which supports CUDA {}, does not compile it for {}: {}; update the driver."},
    {"There is no map of \"{}\" to be proven."},
    {"There is no map of \"{}\" to be proven; the nearest is {}."},
    {"{}, holds {}; expected {}"},
    {"A line that no lane of a matrix addresses was written"},
    {"Row {}, column {} in shared memory holds {}; expected {}"},
};

// Inside of those.
constexpr Told kToldInProbes[] = {
    {"Thread {}, value {}, by the map {}"},
    {"{} in memory"},
    {"no element of {}"},
    {"the probe"},
    {"to load the probe"},
    {"to find the probe's entry"},
    {"to launch the probe"},
    {"to clear memory"},
    {"to record an event"},
    {"to ask for the driver's version"},
    {"to ask for the GPU's name"},
    {"to ask for the GPU's limits"},
    {"to ask for free memory"},
    {"to ask for the kernel's registers"},
    {"to read what was printed"},
    {"to order two streams"},
    {"to read the time"},
    {"to copy C"},
    {"to flush the L2"},
    {"to launch a graph"},
    {"to clear the workspace"},
    {"to fill a buffer"},
    {"to copy on the GPU"},
    {"to find {} in the kernel's code"},
    {"{} ({})"},
};

}  // namespace

ToldList told_by_probes() { return {kToldByProbes, kToldInProbes}; }

}  // namespace tilescope
