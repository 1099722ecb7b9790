// Runs the kernels of a folder on a card: for each line of forms.txt (name, CTAs, threads, bytes of
// shared memory, of in and of out) NAME.ptx with NAME.in, and writes NAME.card.   nvcc -O2 -o card
// card.cu -lcuda;  ./card DIR
#include <cuda.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

static void check(CUresult result, const std::string& what) {
  if (result == CUDA_SUCCESS) return;
  const char* text = "";
  cuGetErrorString(result, &text);
  std::fprintf(stderr, "%s: %s\n", what.c_str(), text);
  std::exit(1);
}
static std::vector<char> read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) std::fprintf(stderr, "%s cannot be read\n", path.c_str()), std::exit(1);
  return {std::istreambuf_iterator<char>(in), {}};
}

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "card DIR\n"), 2;
  const std::string folder = std::string(argv[1]) + "/";
  CUdevice device;
  CUcontext context;
  check(cuInit(0), "cuInit");
  check(cuDeviceGet(&device, 0), "device 0");
  check(cuDevicePrimaryCtxRetain(&context, device), "context");
  check(cuCtxSetCurrent(context), "context");
  std::ifstream forms(folder + "forms.txt");
  std::string name;
  unsigned ctas, threads, shared;
  size_t in_bytes, out_bytes, count = 0;
  while (forms >> name >> ctas >> threads >> shared >> in_bytes >> out_bytes) {
    std::vector<char> text = read(folder + name + ".ptx"), in = read(folder + name + ".in"),
                      out(out_bytes);
    text.push_back('\0');
    if (in.size() != in_bytes) return std::fprintf(stderr, "%s.in is short\n", name.c_str()), 1;
    CUmodule module;
    CUfunction function;
    CUdeviceptr from, to;
    check(cuModuleLoadData(&module, text.data()), name);
    check(cuModuleGetFunction(&function, module, "k"), name);
    check(cuMemAlloc(&from, in_bytes), name);
    check(cuMemAlloc(&to, out_bytes), name);
    check(cuMemcpyHtoD(from, in.data(), in_bytes), name);
    check(cuMemsetD8(to, 0x5a, out_bytes), name);
    void* arguments[] = {&from, &to};
    check(cuLaunchKernel(function, ctas, 1, 1, threads, 1, 1, shared, nullptr, arguments, nullptr),
          name);
    check(cuCtxSynchronize(), name);
    check(cuMemcpyDtoH(out.data(), to, out_bytes), name);
    std::ofstream(folder + name + ".card", std::ios::binary)
        .write(out.data(), static_cast<long>(out_bytes));
    cuMemFree(from), cuMemFree(to), cuModuleUnload(module);
    ++count;
  }
  std::printf("%zu forms ran\n", count);
}
