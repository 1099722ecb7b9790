// What is wrong with a tensor map, and with copies by one; all inside of what others say.
#include "core/language/told.h"

namespace tilescope {
namespace {

constexpr Told kToldInTensorMaps[] = {
    {"the element type is none of a tensor map's"},
    {"the rank {} is not within 1 to 5"},
    {"the address {} is no multiple of 16"},
    {"the box's size {} of dimension {} is not within 1 to 256"},
    {"the element stride {} of dimension {} is not within 1 to 8"},
    {"the stride of {} bytes of dimension {} is no multiple of 16 below 2^40"},
    {"the box's first dimension has {} bytes, no multiple of 16"},
    {"the swizzle of {} bytes is none of 0, 32, 64, 128"},
    {"the box's first dimension has {} bytes, above the swizzle's {}"},
    {"NaN fills only what lies outside of reals, not of {}"},
    {"what lies there is neither a tensor map of the emulator's nor zeros"},
    {"dimension {} is none of a tensor map's, which has 5 and 4 strides"},
    {"the rank {}, which counts from 0, is above 4"},
    {"the size 0 of dimension {} is not within 1 to 2^32"},
    {"the element type {} has fewer than 8 bits, or is none"},
    {"interleaved layouts are not there yet: {}"},
    {"the swizzle mode {} is above 3, which sm_90 has"},
    {"the swizzle atomicity {} is not 0, as sm_90 has it"},
    {"the fill mode {} is neither 0, zeros, nor 1, NaN"},
    {"the driver has no cuTensorMapEncodeTiled; update it to 525 (CUDA 12.0)"},
    {"the size of a bulk copy must be a multiple of 16 bytes"},
    {"{}; align the box in shared memory to 128 bytes"},
    {"a box whose first dimension has fewer bytes than the swizzle: how it lies is not documented"},
    {"a box begins {} bytes into its line (first coordinate {}); what is no multiple of 16 is an "
     "illegal instruction on a card"},
    {"a bulk store's coordinates must not be negative"},
    {"what lies there is no tensor map of the emulator's; give the launch one (tensormap:)"},
    {"the tensor map that lies there is illegal: {}"},
    {"the tensor map has another number of dimensions than the instruction"},
    {"a multicast's mask names CTAs that the cluster does not have"},
    {"a reduction that the tensor map's element type does not have"},
};

}  // namespace

ToldList told_by_tensor_maps() { return {{}, kToldInTensorMaps}; }

}  // namespace tilescope
