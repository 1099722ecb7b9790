# Writes inst_<i>.cu: the kernels to compile. Stages: as many as fit.
import sys
def stages(bm,bn,epi,cons,cap=12):
    store=cons*4*2*2048 if epi==2 else 0
    return min(cap,(232448-1024-store-16-cap*16)//((bm+bn)*128))
L=[]; P=[]
def co(bm,bn,cons,cm,cn,epi,swap=0,t="float",pp=0,cap=12,ns=0):
    L.append(f"Gemm<{bm},{bn},{stages(bm,bn,epi,cons,cap)},{cons},{'true' if pp else 'false'},{cm},{cn},{epi},{'true' if swap else 'false'},{t},{'true' if ns else 'false'}>")
exec(open(sys.argv[1]).read())
n=int(sys.argv[2])
for i in range(n):
    with open(f"inst_{i}.cu","w") as f:
        f.write('#include "reg.h"\n')
        for j,g in enumerate(L[i::n]): f.write(f"static Reg r{j}(make<{g}>());\n")
        for j,g in enumerate(P[i::n]): f.write(f"static Reg q{j}(make_plain<{g}>());\n")
