#pragma once
#include <string>
#include <vector>
struct Cfg {
  std::string name;
  int bm, bn, stages, cons, pp, cm, cn, epi, swap, half, plain;
  void* fn;
  int smem, threads;
};
std::vector<Cfg>& configs();
struct Reg {
  Reg(Cfg c) { configs().push_back(c); }
};
