// How a card's matrix products round, beside the emulator's rule (docs/emulator.md, "Sums of matrix
// products"): for each form of mma, 4096 random tiles of three kinds of operands, one warp a tile.
//   exact    multiples of one power of two, so few bits that every order gives the same result
//   uniform  in [-1, 1], C of the same spread as the sum of products (s8: all values)
//   wide     random exponents, subnormal ones too for f16 and e4m3 (s8: C next to where it wraps)
// To say what the card does, a model is sought that gives all its bits: groups of products, summed
// with the accumulator in fixed point; probes, whose terms cancel, say the same one by one.
// Prints a table, then its lines as JSON; bench/mma_rounding.sh builds and runs it. Columns:
//   equal, model  share of the outputs where the rule, the model has the card's bits
//   ulp, norm     largest |card - rule|: in last places of the largest of terms and sum; / Σ|terms|
//   drift         mean error away from zero, in the same last places: the card's, the rule's
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>
#include <vector>

constexpr int kTiles = 4096, kSampled = 512;  // a model is sought on the latter
const char* const kKinds[] = {"exact", "uniform", "wide"};
std::string json;
struct Tf32 {  // rounded to 11 bits of significand, so that no card has to
  float x;
  explicit Tf32(float f = 0) : x(f * 8193 - (f * 8193 - f)) {}
  explicit operator float() const { return x; }
};

template <class T>
double value(T x) {
  if constexpr (std::is_arithmetic_v<T>) return double(x);
  return double(static_cast<float>(x));
}
template <class T>
T rounded(double x) {
  if constexpr (std::is_arithmetic_v<T>) return T(x);
  if constexpr (std::is_same_v<T, __half>) return __double2half(x);  // once, not through f32
  return T(float(x));
}
// Exponent of a number as a format holds it: that of its subnormals is its smallest.
int exponent(double x, int smallest) { return x == 0 ? -9999 : std::max(ilogb(x), smallest); }

// A form: shape and types, exponents of "wide", bits of fraction of "exact", its registers.
// clang-format off
#define FORM(Name, shape, types, TIn, TOut, m, k, low, high, fine, list, ...)          \
  struct Name {                                                                        \
    using In = TIn; using Out = TOut;                                                  \
    using Word = std::conditional_t<sizeof(In) == 8, uint64_t, uint32_t>;              \
    static constexpr int M = m, K = k, kLow = low, kHigh = high, kFine = fine;         \
    static constexpr bool kModelled = sizeof(In) < 8 && !std::is_integral_v<Out>,      \
                          kFp8 = std::is_same_v<In, __nv_fp8_e4m3>;                    \
    static constexpr const char* name = shape " " types;                               \
    static __device__ void mma(Word* d, const Word* a, const Word* b, const Word* c) { \
      asm("mma.sync.aligned." shape ".row.col." types " " list ";" : __VA_ARGS__);     \
    }                                                                                  \
  };
#define LIST "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13}"
#define REGISTERS                                                                        \
  "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]),      \
  "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3])
FORM(F16, "m16n8k16", "f32.f16.f16.f32", __half, float, 16, 16, -18, 8, 9, LIST, REGISTERS)
FORM(Bf16, "m16n8k16", "f32.bf16.bf16.f32", __nv_bfloat16, float, 16, 16, -20, 20, 7, LIST,
     REGISTERS)
FORM(F16Sum, "m16n8k16", "f16.f16.f16.f16", __half, __half, 16, 16, -9, 3, 3,
     "{%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%8,%9}", "=r"(d[0]), "=r"(d[1])
     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(c[0]), "r"(c[1]))
FORM(Tf, "m16n8k8", "f32.tf32.tf32.f32", Tf32, float, 16, 8, -20, 20, 9, LIST, REGISTERS)
FORM(E4m3, "m16n8k32", "f32.e4m3.e4m3.f32", __nv_fp8_e4m3, float, 16, 32, -9, 7, 3, LIST,
     REGISTERS)
FORM(F64, "m8n8k4", "f64.f64.f64.f64", double, double, 8, 4, -20, 20, 20,
     "{%0,%1}, {%2}, {%3}, {%4,%5}", "=l"(d[0]), "=l"(d[1])
     : "l"(a[0]), "l"(b[0]), "l"(c[0]), "l"(c[1]))
FORM(S8, "m16n8k32", "s32.s8.s8.s32", int8_t, int32_t, 16, 32, 0, 0, 0, LIST, REGISTERS)
// clang-format on

// A is [M][K], B [8][K] (its columns), C and D [M][8] of each tile, so that the elements of one
// register lie side by side; where, is the PTX ISA's "Matrix Fragments for mma".
template <class F, class Word = typename F::Word>
__global__ void multiply(const Word* a, const Word* b, const Word* c, Word* d) {
  constexpr int line = F::K * sizeof(typename F::In) / sizeof(Word);
  constexpr int out = 8 * sizeof(typename F::Out) / sizeof(Word);  // 8 or, of f16, 4
  constexpr int rows = F::M / 8, w = out / 4;  // w: words that follow each other in C and D
  a += blockIdx.x * F::M * line, b += blockIdx.x * 8 * line;
  c += blockIdx.x * F::M * out, d += blockIdx.x * F::M * out;
  const int group = threadIdx.x / 4, member = threadIdx.x % 4;
  Word ra[rows * line / 4], rb[line / 4], rc[rows * out / 4], rd[rows * out / 4];
  for (int r = 0; r < rows * line / 4; ++r)
    ra[r] = a[(group + 8 * (r % rows)) * line + member + 4 * (r / rows)];
  for (int r = 0; r < line / 4; ++r) rb[r] = b[group * line + member + 4 * r];
  const auto place = [&](int r) { return (group + r / w * 8) * out + w * member + r % w; };
  for (int r = 0; r < rows * out / 4; ++r) rc[r] = c[place(r)];
  F::mma(rd, ra, rb, rc);
  for (int r = 0; r < rows * out / 4; ++r) d[place(r)] = rd[r];
}

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "mma_rounding: %s\n", cudaGetErrorString(error));
  exit(1);
}

template <class F, class In = typename F::In, class Out = typename F::Out>
struct Tiles {
  int count;
  std::vector<In> a, b;
  std::vector<Out> c, d;
  explicit Tiles(int n)
      : count(n), a(n * F::M * F::K), b(n * 8 * F::K), c(n * F::M * 8), d(n * F::M * 8) {}
  void run() {
    using Word = typename F::Word;
    const size_t bytes[] = {a.size() * sizeof(In), b.size() * sizeof(In), c.size() * sizeof(Out)};
    const void* from[] = {a.data(), b.data(), c.data()};
    Word* p[4];
    for (int i = 0; i < 4; ++i) check(cudaMalloc(&p[i], bytes[std::min(i, 2)]));
    for (int i = 0; i < 3; ++i) check(cudaMemcpy(p[i], from[i], bytes[i], cudaMemcpyHostToDevice));
    check(cudaMemset(p[3], 0xff, bytes[2]));  // what no lane writes would be a NaN
    multiply<F><<<count, 32>>>(p[0], p[1], p[2], p[3]);
    check(cudaGetLastError());
    check(cudaMemcpy(d.data(), p[3], bytes[2], cudaMemcpyDeviceToHost));
    for (Word* q : p) check(cudaFree(q));
  }
  bool same_bits(int i, Out x) const { return memcmp(&x, &d[i], sizeof x) == 0; }
  // Row of A and column of B of element i of D.
  const In* row(int i) const { return &a[i / 8 * F::K]; }
  const In* col(int i) const { return &b[(i / (F::M * 8) * 8 + i % 8) * F::K]; }
};

template <class F, class In = typename F::In, class Out = typename F::Out>
Tiles<F> random_tiles(int kind) {
  Tiles<F> t(kTiles);
  std::mt19937_64 source(kind + 1);
  std::uniform_real_distribution<double> unit(-1, 1);
  const auto draw = [&](int low, int high, double spread) {
    if (kind == 0) return ldexp(nearbyint(ldexp(unit(source), F::kFine)), -F::kFine);
    if (kind == 1) return spread * unit(source);
    const double x = unit(source);
    return ldexp(copysign(1 + fabs(x), unit(source)), low + int(source() % (high - low + 1)));
  };
  const auto whole = [&](int values, int low) { return double(source() % values) + low; };
  constexpr bool real = !std::is_integral_v<Out>;
  for (auto* v : {&t.a, &t.b})
    for (In& x : *v)
      x = rounded<In>(real ? draw(F::kLow, F::kHigh, 1) : kind ? whole(256, -128) : whole(17, -8));
  for (Out& x : t.c)
    x = rounded<Out>(real ? draw(2 * F::kLow, 2 * F::kHigh, sqrt(F::K / 3.))
                          : whole(65536, kind == 2 ? INT32_MAX - 65535 : -32768));
  t.run();
  return t;
}

// docs/emulator.md's rule.
template <class F, class In = typename F::In, class Out = typename F::Out>
Out emulated(const In* a, const In* b, Out c) {
  if constexpr (std::is_integral_v<Out>) {
    uint32_t sum = c;
    for (int k = 0; k < F::K; ++k) sum += a[k] * b[k];
    return int32_t(sum);
  } else {
    using Real = std::conditional_t<sizeof(In) == 8, double, float>;
    Real sum = value(c);
    for (int k = 0; k < F::K; ++k) sum = std::fma(Real(value(a[k])), Real(value(b[k])), sum);
    return rounded<Out>(sum);
  }
}

// A card's rule, as far as it is one: the accumulator and `group` products at a time are cut to
// multiples of 2^-fraction of the largest exponent (a product's: its factors' sum), summed exactly
// and cut to an f32; an f16 is rounded to nearest from the last sum. `halves`, for fp8: products in
// the low 16 bits of the registers, then those in the high ones, then + C, rounded to nearest.
struct Model {
  int group, fraction, halves;
};
template <class F, class In = typename F::In, class Out = typename F::Out>
Out modelled(const Model& m, const In* a, const In* b, Out c) {
  constexpr int in = std::is_same_v<In, __half> ? -14 : -126, out = sizeof(Out) == 2 ? -14 : -126;
  double sum = m.halves ? 0 : value(c);
  for (int g = 0; g < F::K / m.group; ++g) {
    int largest = exponent(sum, g == 0 ? out : -126);
    double terms[33] = {sum}, total = 0;
    for (int i = 0; i < m.group; ++i) {
      const int k = m.halves ? i / 2 * 4 + 2 * g + i % 2 : g * m.group + i;
      const double x = value(a[k]), y = value(b[k]);
      terms[i + 1] = x * y;
      if (x * y != 0) largest = std::max(largest, exponent(x, in) + exponent(y, in));
    }
    for (double term : terms) total += trunc(ldexp(term, m.fraction - largest));
    sum = ldexp(total, largest - m.fraction);
    if (out == -14 && (g + 1) * m.group == F::K) break;
    const float nearest = float(sum);
    sum = fabs(nearest) > fabs(sum) ? nextafterf(nearest, 0) : nearest;
  }
  return rounded<Out>(m.halves ? sum + value(c) : sum);
}
template <class F>
double share(const Tiles<F>& t, const Model& m, int tiles) {
  const int outputs = tiles * F::M * 8;
  int equal = 0;
  for (int i = 0; i < outputs; ++i)
    equal += t.same_bits(i, modelled<F>(m, t.row(i), t.col(i), t.c[i]));
  return double(equal) / outputs;
}

template <class F, class Out = typename F::Out>
void compare(const Tiles<F>& t, int kind, const Model& model) {
  constexpr int digits = sizeof(Out) == 2 ? 11 : sizeof(Out) == 8 ? 53 : 24;
  const int outputs = kTiles * F::M * 8;
  double equal = 0, ulps = 0, norm = 0, card_drift = 0, rule_drift = 0;
  for (int i = 0; i < outputs; ++i) {
    const auto *a = t.row(i), *b = t.col(i);
    const Out rule_bits = emulated<F>(a, b, t.c[i]);
    equal += t.same_bits(i, rule_bits);
    const double card = value(t.d[i]), rule = value(rule_bits), c = value(t.c[i]);
    double largest = fabs(c), magnitudes = largest;
    __float128 sum = c;  // exact; of f64, but for 2^-50 of an ulp
    for (int k = 0; k < F::K; ++k) {
      sum += __float128(value(a[k])) * value(b[k]);
      const double magnitude = fabs(value(a[k]) * value(b[k]));
      largest = fmax(largest, magnitude), magnitudes += magnitude;
    }
    largest = fmax(largest, fabs(double(sum)));
    if (largest == 0) continue;
    const double ulp = ldexp(1, ilogb(largest) - digits + 1);
    ulps = fmax(ulps, fabs(card - rule) / ulp);
    norm = fmax(norm, fabs(card - rule) / magnitudes);
    if (std::is_integral_v<Out>) continue;  // wraps
    card_drift += double(card - sum) * (sum < 0 ? -1 : 1) / ulp / outputs;
    rule_drift += double(rule - sum) * (sum < 0 ? -1 : 1) / ulp / outputs;
  }
  const std::string fits = F::kModelled ? std::to_string(share(t, model, kTiles)) : "null";
  printf("%-26s %-8s %8d %9.6f %6.2f %8.1e %+7.3f %+7.3f %9s\n", F::name, kKinds[kind], outputs,
         equal / outputs, ulps, norm, card_drift, rule_drift, F::kModelled ? fits.c_str() : "");
  char line[300];
  snprintf(line, sizeof line,
           R"({"form": "%s", "operands": "%s", "outputs": %d, "equal": %.8f, "max_ulps": %.4f, )"
           R"("max_of_norm": %.4e, "drift": %.5f, "rule_drift": %.5f, "model_equal": %s})",
           F::name, kKinds[kind], outputs, equal / outputs, ulps, norm, card_drift, rule_drift,
           fits.c_str());
  json += line + std::string("\n");
}

// The smallest 2^-j that stays when added to 1 - 1, the products of k = 0 and 1: as C, and as the
// product of each k from 2 on. One that is summed after the two have cancelled stays however small.
template <class F, class In = typename F::In, class Out = typename F::Out>
void probe() {
  constexpr int most = 30, one = F::kFp8 ? 16 : 8;  // 1 is 2^one, so that 2^-30 of it exists
  Tiles<F> t(most * F::K);
  for (int tile = 0; tile < t.count; ++tile) {
    const int k = tile % F::K, small = one - 1 - tile / F::K;
    const auto product = [&](int at, int sign, int e) {
      t.a[tile * F::M * F::K + at] = rounded<In>(ldexp(sign, e >> 1));
      t.b[tile * 8 * F::K + at] = rounded<In>(ldexp(1, e - (e >> 1)));
    };
    product(0, 1, one), product(1, -1, one);
    if (k > 1) product(k, 1, small);
    if (k == 0) t.c[tile * F::M * 8] = rounded<Out>(ldexp(1, small));
  }
  t.run();
  std::string text;
  for (int k = 0; k < F::K; ++k) {
    int j = most;
    while (j > 0 && value(t.d[((j - 1) * F::K + k) * F::M * 8]) == 0) --j;
    if (k != 1) text += (k ? ", " : "") + std::to_string(j);
  }
  printf("  2^-j that stays beside 1 - 1, j up to %d: of C; of products 2 to %d: %s\n", most,
         F::K - 1, text.c_str());
  json += std::string("{\"form\": \"") + F::name + "\", \"stays\": [" + text + "]}\n";
}

template <class F>
void form() {
  std::vector<Tiles<F>> kinds;
  for (int kind = 0; kind < 3; ++kind) kinds.push_back(random_tiles<F>(kind));
  Model best{};
  double most = -1;
  for (int group = F::kModelled ? 4 : 64; group <= F::K; group *= 2)
    for (int fraction = 23; fraction <= 27; ++fraction)
      for (int halves = 0; halves <= F::kFp8; ++halves) {
        const Model m{group, fraction, halves};
        if (halves && 2 * group != F::K) continue;
        const double all = share(kinds[1], m, kSampled) + share(kinds[2], m, kSampled);
        if (all > most) most = all, best = m;
      }
  for (int kind = 0; kind < 3; ++kind) compare(kinds[kind], kind, best);
  if (!F::kModelled) return;
  printf("  model: %d products at a time%s, cut at 2^-%d\n", best.group,
         best.halves ? " by register halves, then + C" : "", best.fraction);
  probe<F>();
}

int main() {
  printf("%-26s %-8s %8s %9s %6s %8s %7s %7s %9s\n", "form", "operands", "outputs", "equal", "ulp",
         "norm", "drift", "rule's", "model");
  form<F16>(), form<Bf16>(), form<F16Sum>(), form<Tf>(), form<E4m3>(), form<F64>(), form<S8>();
  printf("%s", json.c_str());
}
