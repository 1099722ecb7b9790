// What the emulator says: findings of its checks, faults, deadlocks and launches that it
// refuses.
#include "core/language/told.h"

namespace tilescope {
namespace {

constexpr Told kToldByEmulator[] = {
    {"CTA ({}), warp {}, lane {}: {}, at PTX line {}."},
    {"CTA ({}), warp {}, lane {}: {}, at PTX line {}; {}: tried, the checks find nothing here "
     "then."},
    {"CTA ({}), warp {}, lane {}: {}."},
    {"Lanes {} hit bank {} with different words: {} wavefronts where {} would do ({} where {} in "
     "all); {}, at PTX line {}."},
    {"Lanes {} touch {} sectors for {} bytes, where {} would hold them ({} where {} in all); {}, "
     "at PTX line {}."},
    {"No CTA can go on (deadlock): {}; let somebody set what is waited for."},
    {"No CTA can go on (deadlock): {}; {} of {} CTAs have not begun, since only {} are resident at "
     "a time: launch no more than that, or let none wait for a later one."},
    {"The launch is not possible: {}."},
    {"The run was cancelled."},
    {"products as sm_{} sums them"},
    {"products as sm_{} sums them, by a published rule"},
    {"products as sm_{} sums them, but in IEEE f32 those whose sums there are not known: {}"},
    {"products in IEEE f32"},
};

// Inside of those.
constexpr Told kToldInEmulator[] = {
    {"race: {} of shared memory at {} follows {} with no barrier between that both pass"},
    {"race between lanes: {} of shared memory at {} follows {} in the same warp, and nothing "
     "between makes the two lanes wait for each other"},
    {"{} of shared memory at {} comes before the cp.async.wait_group of {} for its cp.async at PTX "
     "line {}"},
    {"{} of shared memory at {} beside the threads follows {}'s store at PTX line {} with no "
     "fence.proxy.async between: what it reads may be old; put one behind the store, before the "
     "barrier"},
    {"{} of shared memory at {} hits what {}'s cp.async at PTX line {} is still copying to"},
    {"{} of shared memory at {} puts there what is there already: stored by {}, equal, with "
     "nothing between that orders them; one of them would do"},
    {"race: the mbarrier at {} in shared memory is used, and nothing orders that behind its "
     "mbarrier.init by {}, lane {} at PTX line {}"},
    {"race: the mbarrier.init at {} in shared memory follows a use by {} at PTX line {}, which "
     "nothing orders behind it; let the cluster meet between"},
    {"an access to shared memory at {} of CTA ({}), which nothing makes wait for it: that CTA may "
     "have left by then; let it wait at the cluster's barrier, or for this mbarrier, before it "
     "ends"},
    {"race between CTAs: a read of global memory at {}, which {} writes as well at PTX line {}, "
     "and nothing orders the two"},
    {"race between CTAs: a write of global memory at {}, which {} writes as well at PTX line {}, "
     "and nothing orders the two"},
    {"a plain read of global memory at {}, which {} updates by an atomic at PTX line {}, may bring "
     "an old value (no harm where an atomic behind it looks again, as max does)"},
    {"a plain write of global memory at {}, which {} updates by an atomic at PTX line {}, may "
     "bring an old value (no harm where an atomic behind it looks again, as max does)"},
    {"a read of global memory at {}, an output that nothing has written there; write it first, or "
     "pass it as inout"},
    {"a read of shared memory at {}, which this CTA has not written"},
    {"a read of shared memory at {}, which this CTA has not written but uses in lane {} at PTX "
     "line {}"},
    {"a read of local memory at {}, which this thread has not written; give the variable a value "
     "first"},
    {"the register {} is read, and this thread has not written it; give the variable a value on "
     "every path to here"},
    {"the register {} is read while the wgmma at PTX line {} still adds to it; wait for its group "
     "first (wgmma.commit_group, wgmma.wait_group)"},
    {"the register {} is written while the wgmma at PTX line {} still adds to it; wait for its "
     "group first (wgmma.commit_group, wgmma.wait_group)"},
    {"the register {} is written while the wgmma at PTX line {} still reads it; wait for its group "
     "first (wgmma.commit_group, wgmma.wait_group)"},
    {"race in one instruction: lanes {} and {} write different values to global memory at {}, and "
     "any of them may stay; give each lane an address of its own"},
    {"race in one instruction: lane {} writes different values to global memory at {}, and any of "
     "them may stay; give each lane an address of its own"},
    {"race in one instruction: lanes {} and {} write different values to shared memory at {}, and "
     "any of them may stay; give each lane an address of its own"},
    {"race in one instruction: lane {} writes different values to shared memory at {}, and any of "
     "them may stay; give each lane an address of its own"},
    {"waits for a phase of the mbarrier at {} of shared memory that it has waited for before, and "
     "goes on at once; its parity must change with each phase"},
    {"setmaxnreg takes {} registers a thread here; with those that the other warps keep these are "
     "{}, and a CTA of {} warps is launched with {} at most: a card waits for ever; take {} at "
     "most, or let the others give more back"},
    {"CTA ({}): {}"},
    {"{} at {} is misaligned"},
    {"{} at {} hits a read-only buffer"},
    {"{} at {} is out of bounds"},
    {"{} at {} comes when CTA ({}) has already left; let it wait at the cluster's barrier before "
     "it ends"},
    {"waits at a barrier that can never complete (deadlock): {}"},
    {"{}; let all that are counted reach one barrier"},
    {"{}; no warp does anything else that could bring them"},
    {"{} needs all 32 lanes of the warp, but this lane is not active"},
    {"the run reached its limit of warp instructions"},
    {"the run was cancelled"},
    {"the kernel executed {}"},
    {"a failed assertion"},
    {"a group of wgmma"},
    {"{} waits at barrier {} at PTX line {}, where {} of {} threads have arrived"},
    {"{} wait at barrier {} at PTX line {}, where {} of {} threads have arrived"},
    {"{} waits at the cluster's barrier at PTX line {}, to which {} have yet to come"},
    {"{} wait at the cluster's barrier at PTX line {}, to which {} have yet to come"},
    {"{} asks at PTX line {} for the mbarrier at {}, to which {} of {} arrivals and {} bytes have "
     "yet to come"},
    {"{} ask at PTX line {} for the mbarrier at {}, to which {} of {} arrivals and {} bytes have "
     "yet to come"},
    {"{}; {}"},
    {"{} has left"},
    {"{} have left"},
    {"CTA ({}), warp {}, lane {} waits for {} at PTX line {}, which holds {} and which no CTA that "
     "ran has written"},
    {"CTA ({}), warp {}, lane {} waits for {} at PTX line {}, which holds {} and was last written "
     "by {}"},
    {"CTA ({}) goes round in a loop that reads nothing which anybody could change"},
    {"{} more CTAs wait"},
    {"no warp can go on"},
    {"nobody"},
    {"a {}-byte load from global memory"},
    {"an {}-byte load from global memory"},
    {"a {}-byte store to global memory"},
    {"an {}-byte store to global memory"},
    {"a {}-byte load from shared memory"},
    {"an {}-byte load from shared memory"},
    {"a {}-byte store to shared memory"},
    {"an {}-byte store to shared memory"},
    {"a cp.async from global memory"},
    {"an access to local memory"},
    {"a bulk copy to shared memory"},
    {"a bulk copy from shared memory"},
    {"a bulk copy to global memory"},
    {"a bulk copy from global memory"},
    {"a read of a tensor map"},
    {"a read"},
    {"a write"},
    {"{}'s write at PTX line {}"},
    {"{}'s read"},
    {"another lane"},
    {"several lanes of a warp"},
    {"{} warps"},
    {"the products of warps {} to {} of CTA ({})'s read"},
    {"the products of warps {} to {}'s read"},
    {"{} of CTA ({})'s write at PTX line {}"},
    {"{} of CTA ({})'s read"},
    {"the products of warps {} to {}"},
    {"a bulk copy"},
    {"{} of CTA ({})"},
    {"{} threads of {} of CTA ({})"},
    {"{} ('{}' + {}, which has {} bytes)"},
    {"{} (in no buffer)"},
    {"{} (the CTA has {} bytes)"},
    {"{} (a lane has {} bytes)"},
    {"the parameters"},
    {"XOR the 16-byte chunk with the row, or pad each row by 16 bytes"},
    {"XOR the chunk with the row, or pad each row by one word"},
    {"let neighbouring lanes read neighbouring addresses: they are {} bytes apart"},
    {"let neighbouring lanes read neighbouring addresses"},
    {"let neighbouring lanes write neighbouring addresses: they are {} bytes apart"},
    {"let neighbouring lanes write neighbouring addresses"},
    {"let neighbouring lanes update neighbouring addresses: they are {} bytes apart"},
    {"let neighbouring lanes update neighbouring addresses"},
    {"let neighbouring lanes copy from neighbouring addresses: they are {} bytes apart"},
    {"let neighbouring lanes copy from neighbouring addresses"},
    {"put {} before PTX line {}"},
    {"put {} before each of PTX lines {}"},
    {"put {} behind the wait at PTX line {}"},
    {"make it cp.async.wait_group {} in place of {} at PTX line {}"},
    {"{} and its copies"},
    {"the block of {} threads exceeds the kernel's .maxntid of {}"},
    {"the block is {} threads, but the kernel says .reqntid {}: launch it with exactly that"},
    {"the block of {} threads is not within 1 to 1024"},
    {"the grid of {} CTAs is empty, or above 65535 in y or z"},
    {"the launch passes {} bytes of parameters, but the kernel takes {}"},
    {"the CTA needs {} bytes of shared memory, above 1048576"},
    {"the CTA ({}) lies outside the grid"},
    {"there is no entry '{}'"},
    {"there is not enough memory for the module's variables"},
    {"not enough memory for the CTAs"},
    {"it gives clusters of {} CTAs, but the kernel says .reqnctapercluster {}: launch it with "
     "exactly that, or without a size"},
    {"the kernel says .explicitcluster, so a launch must give the size of its clusters, and this "
     "one does not: give it one (cluster X,Y,Z)"},
    {"the cluster of {} CTAs exceeds the kernel's .maxclusterrank of {}"},
    {"the grid of {} CTAs is no multiple of the cluster of {}: make it {}, say"},
    {"a lane arrives at the cluster's barrier twice without waiting between"},
    {"a lane waits at the cluster's barrier without having arrived"},
    {"the cluster of {} CTAs is empty: each extent must be at least 1"},
    {"the cluster of {} CTAs has more than {}, which is what all cards take (up to 16 is the "
     "non-portable size, which is not supported here): make it smaller"},
    {"the kernel says .blocksareclusters, so that its grid would count clusters, which is not "
     "supported: compile it without, and give the grid in CTAs"},
    {"a barrier's number must be below 16"},
    {"{} waits at PTX line {} for the other warps of the warpgroup to commit as many groups of "
     "wgmma"},
    {"{} wait at PTX line {} for the other warps of the warpgroup to commit as many groups of "
     "wgmma"},
    {"brx.idx jumps with an index beyond its list of targets"},
    {"calls an address at which there is no function with a body"},
    {"nests its calls too deeply"},
    {"mapa to a rank that the cluster lacks"},
    {"the end of a bulk copy to shared memory"},
    {"the end of an asynchronous store to shared memory"},
    {"an asynchronous store to shared memory"},
    {"an asynchronous reduction in shared memory"},
    {"a matrix product"},
};

}  // namespace

ToldList told_by_emulator() { return {kToldByEmulator, kToldInEmulator}; }

}  // namespace tilescope
