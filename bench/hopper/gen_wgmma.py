# Writes wgmma.inc: one specialisation of Wgmma<N> for each N asked for.
import sys
ns=[int(x) for x in sys.argv[1:]] or list(range(8,257,8))
o=[]
for n in ns:
    r=n//2
    regs=", ".join(f"%{i}" for i in range(r))
    cons=", ".join(f'"+f"(d[{i}])' for i in range(r))
    o.append(f"""template<> struct Wgmma<{n}> {{
  static __device__ __forceinline__ void run(float (&d)[{r}], uint64_t a, uint64_t b, int accumulate) {{
    asm volatile("{{\\n.reg .pred p;\\nsetp.ne.b32 p, %{r+2}, 0;\\n"
      "wgmma.mma_async.sync.aligned.m64n{n}k16.f32.f16.f16 {{{regs}}}, %{r}, %{r+1}, p, 1, 1, 0, 0;\\n}}\\n"
      : {cons} : "l"(a), "l"(b), "r"(accumulate)); }}
}};""")
open("wgmma.inc","w").write("\n".join(o)+"\n")
