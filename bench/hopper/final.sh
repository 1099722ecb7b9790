#!/bin/bash
# the fixed choice per shape (README.md); arguments are passed on (pdl=1, sustain=300 ...)
exec ./b7 sweep top=1 rounds=9 pause=20 "$@" \
 "only=128x256 s4 co2 2x1 e2" 4096x4096x4096 "only=128x192 s4 pp2 2x1 e2" 8192x8192x8192 \
 "only=128x192 s4 pp2 2x1 e2" 4096x6144x4096 "only=128x224 s4 co2 2x1 e2" 512x28672x4096 "only=128x256 s4 co2 1x1 e2" 2048x4096x14336 \
 "only=128x112 s6 co2 1x1 e2" 128x13824x5120 "only=128x256 s4 co2 1x1 e2" 1000x4096x4096 "only=128x16 s8 co1 1x1 e0 swap" 16x4096x14336 \
 "only=64x192 s6 pp2 1x1 e2" 3072x3072x768
