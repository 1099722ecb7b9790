#include "app/cli/command.h"

namespace tilescope::cli {
namespace {

// Forms of documents: member names in braces, an array in brackets, "a|b" one of them.
constexpr const char* kDoctor =
    R"([{"what","state":"ok"|"missing"|"degraded","version","fix"}, …])";
constexpr const char* kKernels =
    R"([{"id","title","idea","types":[["f16","f16","f32"], …],"layouts":["NN", …],"min_sm",)"
    R"("only_sm","sliders":[{"name","values":[…],"default"}]}, …])";
constexpr const char* kModel =
    R"({"kernel","tile","size","types","layout","device","levels":{"registers","shared","l1",)"
    R"("l2","dram"},"shared_bytes","threads","grid","occupancy":{"ctas_per_sm","limiter",)"
    R"("warps_share"},"waves":{"count","last_fill","efficiency"},"time":{"us","low_us",)"
    R"("high_us","bound","tflops","levels_us","parts_us","remark"},"l2_simulated","ratios","formulas"}. )"
    R"(A level is {"read","write","exact","flop_per_byte"} in bytes; shared has "wavefronts",)"
    R"("load_wavefronts","store_wavefronts","conflicts" too, l1 "sectors". With --table an )"
    R"(array of rows in the notes' order, unrounded: 001a {"warp_tile":[m,n,k],"mma":[16,8,16],)"
    R"("intensity","bytes_per_clock","clocks"}; 001b with "block_tile"; 001c {"block_tile",)"
    R"("problem":[M,N,K],"intensity","gb_per_second","ms","l2_hit_percent","mfu_percent"})";
constexpr const char* kFragments =
    R"({"atom","shape":[M,N,K],"types":{"D","A","B","C"},"threads","operands":{"A":OP,"B":OP,)"
    R"("C":OP}}, OP = {"rows","cols","bits","values","values_per_register",)"
    R"("map":[lane][value]→[row,col]}; A as [m,k], B as [k,n], C as [m,n]. Value v lies in )"
    R"(register v / values_per_register, low bits first. m8n8k4 in half precision works on )"
    R"(quads of lanes: "lanes" names the eight of the first, and map is indexed like it. wgmma )"
    R"(has 128 threads, and "B" is null: a descriptor of shared memory names it; "shared":)"
    R"([{"major":"K" or "MN","swizzle","steps","bytes","leading_bytes","stride_bytes",)"
    R"("descriptor"}], the ways in which it may lie there, each with the instructions that read )"
    R"(along one line and the descriptor without its start. ldmatrix and )"
    R"(stmatrix: {"atom","matrices","address":[lane]→[matrix,row],"map":[lane][value]→[matrix,)"
    R"(row,col]}, address for the lanes that give one. With --all an array of all of them)";
constexpr const char* kSwizzle =
    R"({"mode","row_bytes","chunk_table":[row][chunk]→physical chunk}: 8 rows of 32, 64 or 128 )"
    R"(bytes in 16-byte chunks, row r at r × row_bytes)";
constexpr const char* kBanks =
    R"({"wavefronts","ideal","conflicts","per_phase":[…]}. lds and sts: lane l is at l × )"
    R"(stride. ldmatrix and stmatrix: lane l gives row l % 16, byte column 16 × (l / 16), rows )"
    R"(stride bytes apart, from an address aligned to 1024)";
constexpr const char* kEmulate =
    R"({"status":"ok","ctas","warp_instructions","lane_instructions","by_opcode":{…},)"
    R"("global":{"load":{"requests","sectors","bytes"},"store","bulk_load","bulk_store":{…}},)"
    R"("shared":{"load":{"requests","wavefronts","ideal","conflicts"},"store","copy","product")"
    R"(:{…}},"mma","barriers","threads","seconds"}. bulk_load and bulk_store: bulk copies of )"
    R"(global memory, which no L1 sees; copy: what copies write to shared memory; product: what )"
    R"(products read by themselves. seconds of execution alone. Of a kernel of the ladder )"
    R"("verified","findings","checks" too. A fault (out of bounds, misaligned, deadlock at a )"
    R"(barrier, unknown instruction, what --check finds) ends with code 4 and names CTA, warp, )"
    R"(lane, address, the PTX line and the source line)";
constexpr const char* kTrace =
    R"({"kernel","tile","cta","events":[{"epoch","index","warp",)"
    R"("kind":"copy"|"wait"|"barrier"|"load"|"mma"|"fma"|"store","count","line","ptx_line",)"
    R"("k_step","stage","lanes","matrix","elements"}, …]}; with --lanes each event has )"
    R"("address":[32] and "bytes" too)";
constexpr const char* kAccess =
    R"({"kernel","cta","grid","warps","moments","stopped","buffers":[{"name","type","shape",)"
    R"("by_columns","bytes","accesses","lane_reads","lane_writes","cost","ideal",)"
    R"("bytes_touched":[first,end]}, …],"instructions":[{"ptx_line","line","opcode","buffer",)"
    R"("accesses","lane_reads","lane_writes","cost","ideal","bytes_touched"}, …]}. accesses are of )"
    R"(warps; cost: sectors, or wavefronts of shared memory; stopped: why it is not all, or null)";
constexpr const char* kCheck =
    R"({"file","kernel","errors","remarks","verified","lines":[{"file","line","error",)"
    R"("findings":[{"kind","error","count","ptx_line","message"}, …]}, …]}: one entry for each )"
    R"(line of the source, those with errors first; exit code 1 if there is one)";
constexpr const char* kStep =
    R"({"kernel","found","place":{"tick","cta":[x,y,z],"warp","step","ptx_line","file","line",)"
    R"("opcode","lanes","epoch","loop","iteration","ended","fault"},"residents":[{"cta",)"
    R"("waits"}, …],"ctas_ended","warps":[{"warp","alive","splits":[{"state":"next"|"ready"|)"
    R"("at_barrier"|"waits_for_lanes"|"waits_for_memory"|"waits_for_warpgroup"|"waits_for_cluster",)"
    R"("lanes","ptx_line","line","barrier"}, )"
    R"(…],"polls":[{"lane","address","value"}, …],"steps","epoch","iteration","pending_groups",)"
    R"("copies":[{"committed","copies","bytes","ptx_line","line","step"}, …],"ran_ptx_line"}, …],)"
    R"("barriers":[{"barrier","expected","arrived":[lanes by warp]}, …],)"
    R"("registers":[{"warp","name","function","bits","changed","live","values":[32]}, …],)"
    R"("memory":[{"buffer","offset","bytes":hex}, …],"writers":[{"offset","bytes","warp",)"
    R"("lanes","ptx_line","line","step"}, …],"checks":{"findings":[{"kind","count","message",)"
    R"("ptx_line","line","warp","step"}, …],"later","cut_short"},"output"}. writers with )"
    R"(--writers, checks with --check, else null. Values are bits; of a predicate one mask of )"
    R"(lanes. found: the last motion came to a stop)";
constexpr const char* kBench =
    R"([{"kernel","tile","size":[M,N,K],"types","layout","device",)"
    R"("standing":"measured"|"recorded"|"modelled"|"emulated","date","driver",)"
    R"("verified":{"norm","tolerance","ok","elements","of","ctas","nan","untouched"},"tflops",)"
    R"("spread","samples","time_us","library":{"name","tflops"},"of_library","clock_mhz",)"
    R"("registers","spill_bytes","compile_ms","bytes":{"model","counted","measured"},)"
    R"("checks":{"ctas","findings":[{"kind","cta","warp","lane","ptx_line","line","sentence"}, )"
    R"(…]}}, …], one object for each size and tile. The emulator measures no TFLOPS: null. )"
    R"(norm is null where C has NaN or untouched elements, which are counted. --counters fills )"
    R"(bytes.measured and adds "counters":{name:value})";
constexpr const char* kCompare =
    R"({"a":BENCH,"b":BENCH,"why":[{"part":"compute"|"issue"|"shared"|"l2"|"dram"|"tail"|)"
    R"("occupancy"|"launch","us","words"}, …],"time_us":{"a","b"},"standing","rounds_us":)"
    R"([[A,B], …],"rows":[{"row","a","b","better":"a"|"b"|null}, …]}. BENCH is an object of )"
    R"(bench. The parts of why add up to time_us.a − time_us.b, which are the clock's where it )"
    R"(has told both, with a part "unexplained" for what the model does not say, else the )"
    R"(model's; null for a kernel without a plan)";
constexpr const char* kSweep =
    R"(the array of bench. Without it each result is printed as one line of JSON when it is )"
    R"(there)";
constexpr const char* kLayer =
    R"({"kind","tokens","in","out","ranks","chunks","steps":[{"name",)"
    R"("op":"gemm"|"column_sum"|"all_reduce"|"all_gather","size":[M,N,K],"layout","kernel",)"
    R"("tile","flop","bytes","bytes_between_ranks","modelled_us","measured_us"}, …],)"
    R"("verified":{…},"total":{"modelled_us","measured_us"}})";
constexpr const char* kLaunch = R"(what bench has as "verified")";
constexpr const char* kExport = R"({"kernel","tile","size","out"}, or "source" without --out)";
constexpr const char* kRequest =
    R"({"kernel","tile":{…},"problem":{"m","n","k","type_a","type_b","type_c","order_a",)"
    R"("order_b","order_c","alpha","beta","bias",…},"sms"})";
constexpr const char* kLessons =
    R"([{"id","title","steps"}, …]; with --check {"id","steps","faults":[{"file","line",)"
    R"("sentence"}, …]} instead, and code 4 where there is a fault)";
constexpr const char* kRender = R"({"panel","out"})";

constexpr CommandRow kCommands[] = {
    {"doctor", "what is there, what is missing, and the fix", "doctor", kDoctor, make_doctor},
    {"kernels", "the ladder of kernels and their sliders", "kernels", kKernels, make_kernels},
    {"model", "bytes per level, occupancy, waves and time of a tile, with formulas",
     "model --kernel mma_multistage --size 4096 --tile block_m=256", kModel, make_model},
    {"fragments", "which lane holds which element of an instruction's operands",
     "fragments --atom mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", kFragments,
     make_fragments},
    {"swizzle", "where the 16-byte chunks of shared-memory rows go", "swizzle --mode 64B", kSwizzle,
     make_swizzle},
    {"banks", "wavefronts of one access to shared memory", "banks --access lds.64 --stride 16",
     kBanks, make_banks},
    {"emulate", "runs a kernel of the ladder, or any PTX file, on the CPU",
     "emulate --kernel naive --size 256", kEmulate, make_emulate},
    {"trace", "the events of one CTA, in PTX order", "trace --kernel mma_sync --cta 1,0", kTrace,
     make_trace},
    {"access", "which instructions touch which buffers, and what that costs",
     "access --kernel mma_sync --size 256 --cta 1,0", kAccess, make_access},
    {"check", "all that is wrong with a kernel of your own or slow about it",
     "check sgemm.cu --gemm 256", kCheck, make_check},
    {"step", "runs a launch to a place, forward or backward, and shows what is there",
     "step --kernel mma_sync --size 256 --to barrier --to step:3", kStep, make_step},
    {"bench", "verifies a kernel, then measures it",
     "bench --kernel mma_multistage --size 512 --device emulator", kBench, make_bench},
    {"compare", "two tiles, kernels or files, benched in turns: every difference, and why",
     "compare --a mma_multistage:stages=3 --b mma_multistage:stages=2 --size 512", kCompare,
     make_compare},
    {"sweep", "bench over every combination of slider values",
     "sweep --device cuda --size 4096 --axis block_m=64,128 --axis stages=2,3,4", kSweep,
     make_sweep},
    {"layer", "the GEMMs of a layer, split over ranks: modelled, run, verified",
     "layer column --tokens 256 --in 512 --out 1024 --ranks 2", kLayer, make_layer},
    {"launch", "runs a kernel once on a card: what a profiler is put around",
     "launch --kernel mma_stream_k --size 4096", kLaunch, make_launch},
    {"export", "writes a kernel as one .cu whose main launches, verifies and times it",
     "export --kernel mma_multistage --size 4096 --out gemm.cu", kExport, make_export},
    {"lessons", "the lessons of the layout Learn, and whether their answers are right",
     "lessons --check 01_why_tiles", kLessons, make_lessons},
    {"render", "draws a panel into a file", "render --panel tiling --out tiling.svg", kRender,
     make_render},
    {"request", "a kernel, its tile and its problem as calls of the worker have them",
     "request --kernel mma_sync --size 256", kRequest, make_request},
    {"worker", "the process that the window starts; it speaks its protocol on stdin and stdout",
     "worker", "", make_worker},
};

}  // namespace

std::span<const CommandRow> command_list() { return kCommands; }

}  // namespace tilescope::cli
