#include "cfg.h"
#include "gemm.cuh"
template <class G>
Cfg make() {
  char b[96];
  snprintf(b, 96, "%dx%d s%d %s%d%s %dx%d e%d%s%s", G::BM, G::BN, G::STAGES, G::PP ? "pp" : "co",
           G::CONS, G::NS ? "n" : "", G::CM, G::CN, G::EPI, G::SWAP ? " swap" : "",
           sizeof(typename G::T) == 2 ? " f16" : "");
  return {b,
          G::BM,
          G::BN,
          G::STAGES,
          G::CONS,
          G::PP,
          G::CM,
          G::CN,
          G::EPI,
          G::SWAP,
          sizeof(typename G::T) == 2,
          0,
          (void*)gemm<G>,
          G::SMEM,
          G::THREADS};
}
template <int BM, int BN, int S>
Cfg make_plain() {
  char b[96];
  snprintf(b, 96, "%dx%d s%d plain", BM, BN, S);
  return {b,
          BM,
          BN,
          S,
          1,
          0,
          1,
          1,
          0,
          0,
          0,
          1,
          (void*)gemm_plain<BM, BN, S>,
          1024 + S * (BM + BN) * 128 + 256,
          128};
}
