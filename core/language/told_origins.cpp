// What is said of where a value comes from, and what is wrong with it
// (worker/engine/emulate/origin*).
#include "core/language/told.h"

namespace tilescope {
namespace {

constexpr Told kToldByOrigins[] = {
    {"{} is wrong: {}. {} came by {}. Followed to k = {} of {}."},
    {"{} is wrong: {}. {} came by {}."},
    {"{} is wrong: {}. Followed to k = {} of {}."},
    {"{} is wrong: {}"},
    {"It multiplies {} by {}."},
    {"It leaves its row or column: {}."},
    {"Row {} of A belongs here, and it is row {}."},
    {"Column {} of B belongs here, and it is column {}."},
    {"Column {} of A meets row {} of B; the two must be the same k."},
    {"k = {} is added more than once."},
    {"k = {} is missing."},
    {"No product of A and B has reached it."},
    {"no element of a matrix (a constant, an index or zero-fill)"},
    {"more than is followed"},
    {"an element of another buffer"},
    {"{}], {} products"},
    {"{}], one product"},
    {"{}], {} products, followed to k = {}"},
    {"{}, low half, in lane {} of warp {}"},
    {"{}, high half, in lane {} of warp {}"},
    {"{} in lane {} of warp {}"},
    {"shared byte {}"},
    {"{}, followed to k = {}"},
    {"nothing that CTA {} has computed of a buffer: it writes a constant there, or does not write "
     "it"},
};

// Inside of those.
constexpr Told kToldInOrigins[] = {
    {"{} + {} more"},
    {"{}; {} came by {}"},
};

}  // namespace

ToldList told_by_origins() { return {kToldByOrigins, kToldInOrigins}; }

}  // namespace tilescope
