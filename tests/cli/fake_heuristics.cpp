// A library in nvMatmulHeuristics's place that is of another version, or that ends the process, as
// FAKE_HEURISTICS says: "newer", "crash".
#include <csignal>
#include <cstdlib>
#include <cstring>

namespace {
bool is(const char* way) {
  const char* said = std::getenv("FAKE_HEURISTICS");
  return said && std::strcmp(said, way) == 0;
}
}  // namespace

extern "C" {
unsigned nvMatmulHeuristicsGetVersionMajor() { return 0; }
unsigned nvMatmulHeuristicsGetVersionMinor() { return is("newer") ? 7 : 1; }
unsigned nvMatmulHeuristicsGetVersionPatch() { return 5; }
int nvMatmulHeuristicsCreate(void**) {
  if (is("crash")) {
    std::signal(SIGSEGV, SIG_DFL);  // a sanitizer's is not what users have
    std::raise(SIGSEGV);
  }
  return 0;
}
int nvMatmulHeuristicsHardwareDescriptorCreate(void**) { return 0; }
int nvMatmulHeuristicsHardwareDescriptorDestroy(void**) { return 0; }
int nvMatmulHeuristicsHardwareDescriptorSetPredefinedGpu(void*, int) { return 0; }
int nvMatmulHeuristicsBackendCreate(void**, int) { return 0; }
int nvMatmulHeuristicsBackendDestroy(void**) { return 0; }
int nvMatmulHeuristicsBackendSetValueProperty(void*, int, const void*, unsigned) { return 0; }
int nvMatmulHeuristicsLoadInternalDiscoverySet(void*, const char*, int, int, void*) { return 0; }
unsigned nvMatmulHeuristicsGetGemmConfigEx(void*, const char*, unsigned, void*, const void*, void*,
                                           unsigned, void*) {
  return 0;
}
double nvMatmulHeuristicsEstimateSiliconMetricEx(void*, const char*, void*, const void*,
                                                 const void*, int, void*) {
  return 0;
}
}
