// What core/sheet and core/workload say: what is wrong with a launch sheet or a layer.
#include "core/language/told.h"

namespace tilescope {
namespace {

constexpr Told kToldBySheets[] = {
    {"Argument {} ({}): {}."},
    {"Argument {}: {}."},
    {"{} takes {}, and {} given; it is {}."},
    {"gemm: {} is argument {}; there are {}."},
    {"gemm: {} is argument {} ({}), of which no type is known; {}."},
    {"gemm: {} is argument {} ({}), which has {} elements; {} × {} are {}."},
    {"gemm: {} is of {}; only f32, f16 and bf16 are compared with double precision. Leave gemm "
     "out, or look at C with --dump."},
    {"gemm: A is of {} and B of {}; they must be of one type."},
    {"gemm: {} is argument {}, which is no number."},
    {"The cluster is {}; .reqnctapercluster of {} says {}."},
    {"The cluster has {} CTAs; .maxclusterrank of {} allows {}."},
    {"The cluster is not given: {} says .explicitcluster, so --cluster X,Y,Z must say how many "
     "CTAs a cluster has."},
    {"The grid of {} CTAs is no multiple of the cluster of {}; make it {}, say."},
    {"The grid is not given: --grid X,Y,Z says how many CTAs there are."},
    {"The block is not given: --block X,Y,Z says how many threads a CTA has."},
    {"The block is {}; .reqntid of {} says {}."},
    {"The block has {} threads; .maxntid of {} allows {}."},
    {"No GEMM can be told from the parameter {}, which is neither a buffer nor a number; write a "
     "sheet for it."},
    {"It cannot be told which parameter {} of {}; write a sheet with args and gemm "
     "(docs/own_kernel.md)."},
    {"{} takes one size, so it is of square matrices; {} is not, give one number."},
    {"--entry: there is no '{}'; the file has {}"},
    {"--entry: the file has several kernels; choose {}"},
    {"--entry: '{}' may be any of {}; name one"},
    {"gemm: {} is not an object."},
    {"gemm.{} is missing: gemm has a, b, c (numbers of arguments), m, n, k and perhaps layout, "
     "c_order, alpha and beta."},
    {"gemm.c: argument {} is A or B, too; C is another one."},
    {"block: {} are {} threads; a block has at most {}."},
    {"cluster: {} are more than {} CTAs, which is what all cards take (up to 16 is the "
     "non-portable size, which is not supported here); make it smaller."},
    {"The sheet has {} bytes; at most {} are read."},
    {"The sheet is no valid JSON, or is nested deeper than {} levels."},
    {"The sheet {} is not an object."},
    {"{} has no member {}; it has {}."},
    {"{}: {} is not a list of one to three whole numbers, [x, y, z]."},
    {"{}: {} is not a whole number from {} to {}."},
    {"{}: {} is not a text of at most {} bytes."},
    {"{}: {} is not a list of numbers of arguments."},
    {"{}: {} is not an object."},
    {"{} names neither a file nor an entry; give the kernel that is right."},
    {"expect.tolerance: {} is not a number from 0 to {}."},
    {"expect.files: argument {} is not there; there are {}."},
    {"expect.files: argument {} ({}) is no buffer that the kernel writes; name one that is out: or "
     "inout:."},
    {"expect.kernel: no argument is a buffer that the kernel writes, so there is nothing to "
     "compare; make one of them out: or inout:."},
    {"expect.kernel: the {} of {} is not told by a launch in its file; write expect.kernel.{}."},
    {"'{}' is not a whole number"},
    {"'{}' is not a whole number of 64 bits"},
    {"'{}' is not a number"},
    {"{} does not fit; choose {} to {}"},
    {"the file's name is missing"},
    {"no file has a zero in its name"},
    {"choose 1 to {} {}"},
    {"'{}' is not an even number of hexadecimal digits"},
    {"write buf:TYPE:ROWSxCOLS:random, zeros, index or a file, and perhaps :in, :out or :inout"},
    {"'{}' is no type of a buffer; choose one of {}"},
    {"the shape '{}' is not ROWSxCOLS; {}"},
    {"'{}' is not one of {}"},
    {"write tensormap:ARGUMENT:TYPE:DIMS:BOX, as in tensormap:0:f16:4096x512:64x128, and perhaps "
     ":swizzle=128, :strides=BYTES, :steps=1x2, :offset=BYTES or :fill=nan"},
    {"'{}' is no element of a tensor map; choose one of {}"},
    {"the {} '{}' has {} numbers; the tensor needs {}"},
    {"{} dimensions; a tensor map has at most {}"},
    {"the size {} of dimension {} is not within 1 to 2^32"},
    {"'{}' is nothing of a tensor map; {}"},
    {"the file {} does not fit: {}"},
    {"the file {} cannot be read"},
    {"the file {} is empty"},
    {"the file {} holds {} bytes; {} × {} of {} are {}"},
    {"{} {} is out of range; choose 1 to {}"},
    {"{} {} cannot be split over {} ranks; choose at most {} ranks"},
    {"{} {} cannot be cut into {} chunks; choose at most {}"},
    {"a {} layer has no Y to gather: it is whole or each rank's own; leave out gather, or choose "
     "column"},
    {"a step has no rung"},
    {"Each rank has its share of the tokens and all of W; dW and db are added over the ranks."},
    {"W and b are split by output features; dX is added over the ranks."},
    {"W is split by input features; Y is added over the ranks."},
    {"Up is split by output features, down by input features; Y and dX are added over the ranks."},
    {"gemm.layout: {} is not NN, NT, TN or TT (A, then B; T = row-major)."},
    {"{}: {} is not a list of at most {} texts."},
    {"{} {} need more than {} bytes"},
    {"{} of the {} is above {}"},
    {"the stride {} is not below 2^40 bytes"},
};

// Inside of those.
constexpr Told kToldInSheets[] = {
    {"has {} bytes; the parameter {} has {}"},
    {"has {} bytes; the parameter {} has {}; write {}VALUE"},
    {"is a buffer; the parameter {} is a number"},
    {"is a buffer; the parameter {} is a number; write {}VALUE"},
    {"is a real number; the parameter {} is not; write {}VALUE"},
    {"is a whole number; the parameter {} is not; write {}VALUE"},
    {"its tensor lies in argument {}, which is no buffer"},
    {"its tensor lies in argument {}, which is not there"},
    {"its tensor takes {} bytes of argument {}, which has {}"},
    {"@{} is not there: {}"},
    {"@{} is a value, not a buffer; name one that is in:, out:, inout: or {}"},
    {"{} parameter"},
    {"{} parameters"},
    {"1 argument is"},
    {"{} arguments are"},
    {"1 argument is given"},
    {"{} arguments are given"},
    {"the tensor map cannot be: {}"},
    {"its elements are {}, not {}"},
    {"its head has no '{}'"},
    {"its shape is too large"},
    {"it does not begin as a .npy file does"},
    {"no entry"},
    {"its head has {} bytes, and the file {} or at most {} are read"},
    {"its elements are '{}', which is none of the types that a buffer has; convert it with astype"},
};

}  // namespace

ToldList told_by_sheets() { return {kToldBySheets, kToldInSheets}; }

}  // namespace tilescope
