// What is said of cards, drivers, libraries, NVIDIA's tools and the store of results.
#include "core/language/told.h"

namespace tilescope {
namespace {

constexpr Told kToldByCard[] = {
    {"{} was not found; install the driver to measure on a GPU. The emulator and the recordings "
     "work without it."},
    {"The driver library that TILESCOPE_CUDA_DRIVER names does not open ({}); install the driver "
     "to measure on a GPU. The emulator and the recordings work without it."},
    {"The driver library {} has no {}; update NVIDIA's driver to 525 (CUDA 12.0) or later."},
    {"NVIDIA's driver is installed, but it sees no GPU; check nvidia-smi and CUDA_VISIBLE_DEVICES. "
     "The emulator and the recordings work without one."},
    {"NVIDIA's driver does not start ({}); check nvidia-smi, and reboot if the driver was updated "
     "since the last start. The emulator and the recordings work without it."},
    {"There is no GPU cuda:{}; this machine has {} GPUs."},
    {"There is no GPU cuda:{}; this machine has {} GPU: cuda:0."},
    {"{}: needs {}, {} free; choose a smaller problem or free memory on the card."},
    {"{}: no piece of {} to be had, although {} are free; another program may be taking memory: "
     "end it, or choose a smaller problem."},
    {"The GPU reports an uncorrectable memory error; the result is discarded and the card needs a "
     "reset."},
    {"The GPU does not answer any more ({}); the result is discarded and the card needs a reset: "
     "nvidia-smi -r, or a reboot."},
    {"Kernel faulted: {} in {}."},
    {"Kernel faulted: {}."},
    {"The GPU has too few registers or too little shared memory to launch {}; choose a smaller "
     "tile, or fewer threads per block."},
    {"The driver failed {}: {}; nvidia-smi shows how the card is."},
    {"Kernel stopped: {} was not done after {}, the limit of a launch; look for a loop or a "
     "barrier that never ends, or allow more with --time-limit SECONDS."},
    {"{} takes no work ({}): another process holds it alone, or it is lost; look at nvidia-smi, "
     "then end that process, or reset the card. The emulator and the recordings work without it."},
    {"The driver, which supports CUDA {}, does not load code made by {} ({}); {}."},
    {"{} has no right result for this problem."},
    {"The driver has no cuLaunchKernelEx, by which {} is launched in clusters; update it to 520 "
     "(CUDA 11.8) or later."},
    {"{} asks for a launch whose CTAs all wait for each other (cooperative), and kernels of your "
     "own are launched on a card without; leave that out."},
    {"{} prints, which takes time in each launch that is timed."},
    {"Not compared with a library: {}"},
    {"A launch on a card needs a sheet with grid and block."},
    {"Clock and power are unknown: NVML, which comes with NVIDIA's driver, does not answer for "
     "this card."},
    {"{} takes at most {} threads per block on {}, where a thread has {} registers; the sheet says "
     "{}: give a smaller block, or compile it with __launch_bounds__."},
    {"{} is launched in clusters of CTAs, which {} does not have (they came with compute "
     "capability 9.0); run it emulated."},
    {"cuBLASLt was not found; install it (libcublasLt, wheel nvidia-cublas) to compare with it."},
    {"cuBLAS was not found; install it (libcublas, wheel nvidia-cublas) to compare with it."},
    {"{} does not start here; install one that fits the driver."},
    {"NCCL was not found; install it (package libnccl2, wheel nvidia-nccl-cu13) or name it in "
     "TILESCOPE_NCCL to run a layer on several cards."},
    {"NCCL failed {}: {}; NCCL_DEBUG=INFO makes it say more."},
    {"Counting {} {}: the kernel may never end, or take too long to run once a pass; choose a "
     "smaller size or a longer --time-limit."},
    {"{} was not counted: {}"},
    {"{} and counted nothing; run the command of \"Copy ncu command\" by hand to see why."},
    {"The driver does not let this user read counters (ERR_NVGPUCTRPERM): run as root or with "
     "CAP_SYS_ADMIN, or load the driver with NVreg_RestrictProfilingToAdminUsers=0; timing and "
     "model go on without counters."},
    {"{} does not fit this driver: install the Nsight Compute of the driver's CUDA version and set "
     "TILESCOPE_NCU to it, or update the driver."},
    {"Another tool holds the card's counters (as DCGM does on servers): stop it while counting, as "
     "with dcgmi profile --pause."},
    {"{} does not know the options that are needed: update Nsight Compute to {} or later."},
    {"{} does not know this card: update Nsight Compute, or set TILESCOPE_NCU to a newer one."},
    {"{}, which {}, was not found in {}: {}"},
    {"{} ({}) is too old, {} is needed: {}"},
    {"{} when asked for its version: {}"},
    {"nvMatmulHeuristics was not found; {}"},
    {"nvMatmulHeuristics does not start here; the rest works without it."},
    {"nvMatmulHeuristics knows no {}; it knows {}."},
    {"nvMatmulHeuristics knows tensor-core kernels alone, and {} is none."},
    {"It does not predict Stream-K."},
    {"It gives no figures for this tile."},
    {"The emulator does not run it: {}"},
    {"The probe did not end within 20 s; it was given up."},
    {"It needs a GPU of compute capability {} or later; {} has {}."},
    {"wgmma needs a GPU of compute capability {}; {} has {}."},
    {"The result is not kept: the recordings that come with the program are read alone; name a "
     "folder for own results."},
    {"The result is not kept: {}."},
    {"What is known of measurements, {}, was damaged ({}): it is kept as {}, and a new one is made "
     "of the program's recordings."},
    {"{}: what was measured here is not shown."},
    {"{} was written by a newer Tilescope (format {}, this one reads {})"},
    {"There are results in {} that cannot be ({}): they are not shown; measure anew."},
    {"{} line of {} is left out; correct or remove it ({})."},
    {"{} lines of {} are left out; correct or remove them ({})."},
    {"{} is left out: {}; make several files of it."},
    {"{} There are more files like these."},
    {"{} The sheet is kept in {}."},
    {"The layer has {} steps, and kernels are chosen for {}."},
    {"Nothing computes {}."},
    {"sums and copies on one card: no time of a link between cards"},
    {"sums and copies on the host, rank after rank"},
    {"not run"},
    {"{} is {}; choose {} to {}."},
    {"{} is {}; here are 0 to {}."},
    {"{} is {}; this launch has 0 to {}."},
    {"\"{}\" is not {}; known are {}."},
};

// Inside of those.
constexpr Told kToldInCard[] = {
    {"NVIDIA's driver library {}"},
    {"a contained error of the card"},
    {"illegal address"},
    {"it ran longer than the display's watchdog allows"},
    {"an assertion failed"},
    {"stack overflow"},
    {"illegal instruction"},
    {"misaligned address"},
    {"an address of the wrong memory space"},
    {"jump to an invalid address"},
    {"launch failure"},
    {"the kernel"},
    {"a launch"},
    {"to allocate memory"},
    {"to wait for the GPU"},
    {"to load the kernel"},
    {"to copy to the GPU"},
    {"to copy from the GPU"},
    {"to launch {}"},
    {"to make a tensor map"},
    {"to make an event"},
    {"to make a stream"},
    {"to reserve {} B of shared memory"},
    {"to open a context on {}"},
    {"to use the context on {}"},
    {"to connect the ranks"},
    {"to add over the ranks"},
    {"to gather over the ranks"},
    {"connecting the ranks"},
    {"NVRTC for {}"},
    {"the compiler of {}'s PTX"},
    {"update the driver, or set TILESCOPE_NVRTC to an NVRTC of CUDA {}"},
    {"update the driver, or give PTX for {} of CUDA {} or before"},
    {"reads a card's counters"},
    {"shows the machine code"},
    {"makes machine code of a PTX"},
    {"install Nsight Compute (it comes with the CUDA toolkit), or set TILESCOPE_NCU to it; timing "
     "and model go on without counters."},
    {"install the wheel nvidia-cuda-nvdisasm or a CUDA toolkit, or set TILESCOPE_NVDISASM to it."},
    {"install a CUDA toolkit, or set TILESCOPE_PTXAS to it; of a .cu machine code is shown "
     "without."},
    {"install the wheel nvidia-matmul-heuristics (0.1), or set TILESCOPE_MATMUL_HEURISTICS to its "
     "library."},
};

}  // namespace

ToldList told_by_card() { return {kToldByCard, kToldInCard}; }

}  // namespace tilescope
