// What the worker says of itself, of compiling, of its limits and of somebody's own files.
#include "core/language/told.h"

namespace tilescope {
namespace {

constexpr Told kToldByWorker[] = {
    {"Cancelled."},
    {"Cancelled; the call did not stop, so its process was ended."},
    {"Replaced by a newer request."},
    {"The worker is closing."},
    {"Rank {} of {} ({}) failed: {}"},
    {"The worker was restarted by hand during this call."},
    {"The {} was restarted by hand during this call."},
    {"The {}. It was restarted; your session is intact."},
    {"The {}. It stays stopped after {} restarts in {} s; restart it by hand once the cause is "
     "gone."},
    {"{}. GPU process restarted; your session is intact."},
    {"The {} is stopped after {} restarts in {} s; its last end: it {}. Restart it by hand once "
     "the cause is gone."},
    {"{}. The process of {} has ended, and the next call on it looks whether it is back; the "
     "emulator and everything else still work."},
    {"The {} does not answer, not even to being killed; everything else still works. Reset the "
     "card or reboot to get it back."},
    {"{} does not answer, not even to being killed; everything else still works. Reset the card or "
     "reboot to get it back."},
    {"Compiling took longer than {} s and was ended: make the kernel or its macros smaller."},
    {"A call of the {} took longer than {} s and was ended: ask for less at once."},
    {"The connection to {} was lost: ssh {}. It is being made anew."},
    {"The connection to {} was lost: ssh {}. It was made anew {} times in {} s, which is enough; "
     "try again once the cause is gone."},
    {"The worker sent what cannot be read: {}."},
    {"ssh {}; install it (openssh-client), or name it in TILESCOPE_SSH."},
    {"{} cannot be reached: ssh {}; see that \"{}\" works there without a question."},
    {"{} was reached, but no worker answered there within 60 s; see what its shell does at its "
     "start."},
    {"There is no {} on {}: install Tilescope there, or name the program's path there in "
     "TILESCOPE_REMOTE_CLI."},
    {"{} cannot be run on {}: name another in TILESCOPE_REMOTE_CLI."},
    {"The worker on {} {}; what a shell prints there at its start, as of .bashrc, belongs into "
     "interactive ones alone."},
    {"The worker on {} {}; see \"{}\"."},
    {"The call's parameters are not understood: {}"},
    {"Not enough memory on this machine; choose a smaller problem."},
    {"The worker failed: {}"},
    {"The worker has {} calls under way, which is all that it takes at once; wait for one of them, "
     "or cancel some."},
    {"There is no device \"{}\" to run on: use emulator, or cuda:N as listed by \"devices\"."},
    {"Rank {} of {} ({}) said nothing for {} s while {}; all ranks were ended. Choose a smaller "
     "layer, or allow more with --time-limit."},
    {"A result of {} bytes, the limit is {}: ask for less."},
    {"The kernel does not compile: {}"},
    {"The kernel does not compile within {} s, after which NVRTC was stopped; write less code, or "
     "a smaller tile."},
    {"NVRTC, the compiler of CUDA kernels, was not found in {}; install the wheel "
     "nvidia-cuda-nvrtc or a CUDA toolkit, or set TILESCOPE_NVRTC to the library or its folder."},
    {"{} is no NVRTC of CUDA 11.2 or later; install the wheel nvidia-cuda-nvrtc or a CUDA toolkit, "
     "or set TILESCOPE_NVRTC to the library or its folder."},
    {"NVRTC {} compiles for sm_{} and later, not for {}; install an older NVRTC and set "
     "TILESCOPE_NVRTC to it."},
    {"There is no kernel \"{}\"; known are {}."},
    {"{} includes {}, which is not in {}: put it into {}, and include it by its place there."},
    {"{} includes {}, which is none of the sources in this program: put it into a folder, and give "
     "that with --kernel-dir."},
    {"A kernel of {} includes more than {} files; include less."},
    {"This NVRTC makes PTX alone for {}, and the driver the machine code; update NVRTC to see it."},
    {"There is no machine code of {} for {}: {} makes PTX alone of it, and the driver the rest."},
    {"The emulator needs {} of memory for {}, {} free; choose {}."},
    {"The emulator needs {} of memory for {}, and it may take {}; choose {}, or allow more with "
     "--max-memory GB."},
    {"The emulator needs more memory for this, and it may take {}; choose {}, or allow more with "
     "--max-memory GB."},
    {"The kernel had not ended after as many instructions as a run in the emulator may take; look "
     "for a loop that never ends, choose a smaller problem, or allow more with --max-instructions "
     "(of lanes; 0: as many as it takes)."},
    {"The PTX could not be read."},
    {"The PTX has no kernel {}."},
    {"{} takes {} bytes of parameters; the launch gives {}."},
    {"What {} holds cannot be read from {}."},
    {"What argument {} is to be: {} holds {} bytes, and the buffer {}."},
    {"The kernel that is to be right, {}, fails: {}"},
    {"The sheet expects what {} writes, and that kernel was not opened; give its file."},
    {"There is no tensor map of {}: {}; choose another tile or layout."},
    {"PTX line {} is no load, store, copy, barrier, fma or mma that warp {} runs {} times."},
    {"The kernel has no register {}; its PTX names them."},
    {"PTX line {} holds no instruction with registers."},
    {"An element of C is asked for, and the launch's sheet does not say which buffer is C; ask for "
     "bytes of a buffer."},
    {"Only the first {} accesses of warps, or those of the first {} patterns of addresses, are "
     "held; choose {} to see all."},
    {"CTA {} lies outside of the grid of {}; they count from 0."},
    {"The launch has no buffer '{}'; it has {}, or by number 0 to {}."},
    {"No CTAs are named that are to be verified."},
    {"{} is machine code (a cubin, or a program), which the emulator does not run; give the .cu, "
     "or its PTX: cuobjdump -ptx takes that out of a program."},
    {"{} is a fatbin; cuobjdump -ptx takes its PTX out, or give the .cu."},
    {"{} is a library of object files; give a .cu or .ptx."},
    {"{} is no text; give a .cu or .ptx."},
    {"{} is empty; give a .cu or .ptx with a kernel in it."},
    {"{} is neither a .cu nor a .ptx."},
    {"{} is CUDA C++, not PTX; give it with --cu."},
    {"{} is PTX, not CUDA C++; give it with --ptx."},
    {"{} and what it includes have more than {} bytes; include less, or compile it with nvcc -ptx "
     "and open the PTX."},
    {"{} is no text: there is a zero byte in it."},
    {"{} includes more than {} files of its own; include less."},
    {"{} again, without end: put #pragma once into one of them."},
    {"{} includes {}, which was not found and is taken to be empty; give its folder with -I if the "
     "kernel needs it."},
    {"{}: all kernels are templates that no launch in the file gives numbers: {}. Name an instance "
     "with --entry '{}'."},
    {"{} has no kernel: no function in it or in its own headers is __global__."},
    {"{} does not compile: {}; nvcc, which takes host code too, is not on this machine."},
    {"{} does not compile: {}; nvcc, which takes host code too, is not started, since {}."},
    {"{} does not compile: {}."},
    {"{}: its PTX has {} bytes, above {}; leave out kernels, or compile it with nvcc -ptx and give "
     "the PTX."},
    {"{} cannot be read: {}."},
    {"{} cannot be written ({})."},
    {"{} cannot be locked ({}), so several processes cannot share it; choose a file in a folder "
     "that knows locks."},
    {"{} is no regular file, but a pipe, a socket or a device; only regular files are read."},
    {"{} has {} bytes; at most {} are read."},
    {"{} is no valid JSON, or is nested deeper than {} levels."},
};

// Inside of those.
constexpr Told kToldInWorker[] = {
    {"worker {}"},
    {"compiler {}"},
    {"emulator {}"},
    {"search for devices {}"},
    {"counting of a launch {}"},
    {"process of nvMatmulHeuristics {}"},
    {"store of results {}"},
    {"compiler"},
    {"emulator"},
    {"search for devices"},
    {"counting of a launch"},
    {"process of nvMatmulHeuristics"},
    {"store of results"},
    {"GPU process"},
    {"the GPU process {}"},
    {"The GPU process {}"},
    {"failed: {}"},
    {"ended with code {}"},
    {"was ended by signal {}"},
    {"was stopped after {} s"},
    {"was stopped"},
    {"could not be started: {}"},
    {"could not be started ({})"},
    {"sent what cannot be read: {}"},
    {"{} during \"{}\""},
    {"{}, saying \"{}\""},
    {"A, B and C"},
    {"the buffers"},
    {"the layer's matrices"},
    {"a smaller problem"},
    {"one CTA"},
    {"smaller ones"},
    {"a smaller layer"},
    {"a smaller one"},
    {"the system's library path"},
    {"The CTA's x"},
    {"The CTA's y"},
    {"The CTA's z"},
    {"The lane"},
    {"The warp"},
    {"The row"},
    {"The column"},
    {"The buffer"},
    {"The byte"},
    {"there is no regular file {}"},
    {"there is no folder for what it writes (set TMPDIR to one that can be written)"},
};

}  // namespace

ToldList told_by_worker() { return {kToldByWorker, kToldInWorker}; }

}  // namespace tilescope
