// What is said of PTX that the emulator does not read or cannot make code of (emulator/ptx,
// emulator/compile).
#include "core/language/told.h"

namespace tilescope {
namespace {

constexpr Told kToldByPtx[] = {
    {"PTX line {}: the instruction {} is not known to the emulator{}."},
    {"PTX line {}: the instruction {} is {}."},
    {"PTX line {}: unknown directive '{}'."},
    {"PTX line {}: unknown address '{}'."},
    {"PTX line {}: unknown type '.{}'."},
    {"PTX line {}: the label '{}' stands twice in this scope."},
    {"PTX line {}: registers of type '.{}' are not supported."},
    {"PTX line {}: only 64-bit addresses are supported."},
    {"PTX line {}: '{}' is not a whole number."},
    {"PTX line {}: the function {} has no body in this file, and the emulator has none for it."},
    {"PTX line {}: the function {} is not declared."},
    {"PTX line {}: the entry '{}' needs {} bytes of local memory per lane, above 524288."},
    {"PTX line {}: the module's variables take more than 1 GiB."},
    {"PTX line {}: {} is of a texture or a surface, which lie as a card alone knows and are not "
     "emulated; read the same data through a pointer."},
    {"PTX line {}: expected {}, found {}."},
    {"PTX line {}: {} is out of range (0 to 2147483647)."},
    {"PTX line {}: '{}' is not a number."},
    {"PTX line {}: {} registers (1 to 1048576 are supported)."},
    {"PTX line {}: '{}' is not a register."},
    {"PTX line {}: a guard must be a predicate register."},
    {"PTX line {}: the offset {} does not fit in 32 bits."},
    {"PTX line {}: unknown part of .loc '{}'."},
    {"PTX line {}: only .param parameters are supported."},
    {"PTX line {}: alignment {} is not a power of two up to 65536."},
    {"PTX line {}: the variable '{}' is larger than 256 MiB."},
    {"PTX line {}: the initialiser '{}' of '{}' is neither a number nor an address."},
    {"PTX line {}: the entry has more than 4194304 instructions after inlining its calls."},
    {"PTX line {}: a call names no function."},
    {"PTX line {}: a call's address must be a 64-bit register."},
    {"PTX line {}: the call of {} has the wrong number of arguments."},
    {"PTX line {}: an argument of the call of {} is not a .param variable."},
    {"PTX line {}: an argument of a call is not a .param variable."},
    {"PTX line {}: the variables before '{}' take too much memory."},
    {"PTX line {}: the entry '{}' needs too many registers at once (64 MiB per warp, 32000 "
     "predicates)."},
    {"PTX line {}: the entry '{}' has more than 64 KiB of parameters."},
    {"PTX line {}: '{}', whose address '{}' holds, is not declared."},
    {"PTX line {}: {}, which fits no form of it that the emulator knows: the nearest is {}."},
    {"PTX line {}: {}, which fits no form of it that the emulator knows: the nearest are {}."},
};

// Inside of those.
constexpr Told kToldInPtx[] = {
    {"; the nearest that it knows is {}"},
    {"; the nearest that it knows are {}"},
    {"; it knows none that begin with {}"},
    {"a sparse product, which the emulator does not have yet"},
    {"one of Blackwell's tcgen05, which the emulator does not have yet"},
    {"one of several GPUs' memory, which the emulator does not have"},
    {"one of textures, which the emulator does not have; read global memory instead"},
    {"one of surfaces, which the emulator does not have; use global memory instead"},
    {"the end of the text"},
    {"a number"},
    {"a name"},
    {"a type"},
    {"a directive"},
    {"a file name"},
    {"a function name"},
    {"a register name"},
    {"an instruction"},
    {"an operand"},
    {"a predicate"},
    {"a label before it"},
    {"fewer nested scopes"},
    {"fewer nested braces"},
    {"fewer targets"},
    {"fewer operands"},
    {"fewer elements"},
    {"fewer coordinates"},
    {"a shorter function"},
    {"a shorter initialiser"},
    {"operand {} of {} is {}"},
    {"{} has {} operands"},
    {"the predicate {}"},
    {"the 16-bit register {}"},
    {"the 32-bit register {}"},
    {"the 64-bit register {}"},
    {"the 128-bit register {}"},
    {"the number {}"},
    {"a real number"},
    {"a list of {}"},
    {"an address"},
    {"a variable"},
    {"{}, without {}"},
    {"{}, with {}"},
    {"{}, with {} in place of {}"},
    {"{}, the words in that order"},
    {"'{}' and '{}'"},
};

}  // namespace

ToldList told_by_ptx() { return {kToldByPtx, kToldInPtx}; }

}  // namespace tilescope
