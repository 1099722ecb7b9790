// What is said of motions of a stepped launch: those that are none, and those that end nowhere
// (worker/messages/motion.cpp, emulator/step).
#include "core/language/told.h"

namespace tilescope {
namespace {

constexpr Told kToldBySteps[] = {
    {"There is nowhere to stop: {}"},
    {"The motion '{}' is not one: {}."},
    {"The program was not parsed to be stepped: its registers are packed."},
    {"{} bytes at address {} do not lie in a buffer of the launch."},
    {"warp {} does not exist: the CTA has {}, from 0 on."},
};

// Inside of those.
constexpr Told kToldInSteps[] = {
    {"{} must be a number from 0 to {}"},
    {"nothing may stand behind it, but '{}' does"},
    {"the events are {}"},
    {"it needs a place: BUFFER+OFFSET:BYTES, s+OFFSET:BYTES or C[ROW,COLUMN]"},
    {"a row and a column are separated by a comma"},
    {"a ']' is missing"},
    {"a '+' and an offset in bytes must follow the buffer"},
    {"it needs a register, as register:%r12"},
    {"a '.' and a step must follow the warp"},
    {"the words are {}"},
    {"a line"},
    {"a row"},
    {"a column"},
    {"an offset"},
    {"a number of bytes"},
    {"a lane"},
    {"a PTX line"},
    {"an iteration"},
    {"a warp"},
    {"a step"},
    {"how often"},
    {"lane {} does not exist: a warp has 32, from 0 on"},
    {"CTA ({}) lies outside the grid"},
    {"a range of 0 bytes is never touched"},
    {"PTX line {} has no instruction of this kernel; no line has one"},
    {"PTX line {} has no instruction of this kernel; the nearest that have one: {}"},
    {"line {} has no instruction of this kernel; no line has one"},
    {"line {} has no instruction of this kernel; the nearest that have one: {}"},
    {"line {} of {} has no instruction of this kernel; no line has one"},
    {"line {} of {} has no instruction of this kernel; the nearest that have one: {}"},
    {"no instruction of this kernel writes a register '{}'"},
    {"the PTX says no source lines: compile it with -lineinfo"},
    {"the kernel has no loop"},
    {"{} touches shared memory"},
    {"{} touches global memory"},
    {"no instruction of this kernel is such an event"},
    {"no instruction of this kernel fits"},
    {"no instruction of this kernel"},
    {"no instruction of this kernel, at that PTX line,"},
    {"PTX line {} has no instruction of this kernel; the nearest that have one: {} and {}"},
    {"line {} has no instruction of this kernel; the nearest that have one: {} and {}"},
    {"line {} of {} has no instruction of this kernel; the nearest that have one: {} and {}"},
};

}  // namespace

ToldList told_by_steps() { return {kToldBySteps, kToldInSteps}; }

}  // namespace tilescope
