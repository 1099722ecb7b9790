#!/bin/bash
# Builds the kernels of a set: ./build.sh set7.py b7 8, then ./final.sh on a machine with a Hopper card.
set -e
[ -e wgmma.inc ] || python3 gen_wgmma.py
# build.sh SET OUT: compile the kernels of SET into OUT
python3 gen_cfg.py $1 ${3:-4}
F="-std=c++17 -O3 -gencode=arch=compute_90a,code=sm_90a -Xptxas -v $X"
rm -f inst_*.o inst_*.log
for f in inst_*.cu; do b=${f%.cu}; i=${b#inst_}; [ $i -lt ${3:-4} ] || continue; echo $f; done | xargs -P ${J:-2} -I{} sh -c "nice -n 5 nvcc $F -c {} -o {}.o > {}.log 2>&1 || { echo FAIL {}; grep -m5 error {}.log; }"
[ -z "$X" ] && [ -f bench.o ] && [ bench.o -nt bench.cu ] && [ bench.o -nt gemm.cuh ] && [ bench.o -nt harness.cuh ] && [ bench.o -nt schedule.cuh ] || nice -n 5 nvcc -std=c++17 -O3 -gencode=arch=compute_90a,code=sm_90a $X -c bench.cu -o bench.o 2>/dev/null
nvcc -o $2 bench.o $(ls inst_*.cu.o) -lcublas -lcublasLt
grep -h -E "C75|warning" inst_*.log | sed "s/.*(C75/(C75/; s/EEv14.*//" | sort | uniq -c | cut -c1-20,90-330
cat inst_*.log | python3 -c "
import sys,re
n=None
for l in sys.stdin:
    m=re.search(r\"Compiling entry function '(.*?)'\",l)
    if m: n=re.findall(r'L[ib](\d+)E',m[1])
    m=re.search(r'(\d+) bytes spill stores',l)
    if m: sp=m[1]
    m=re.search(r'Used (\d+) registers',l)
    if m and sp!='0': print(','.join(n or []),m[1],'regs spill',sp)
"
