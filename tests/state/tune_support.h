// A state on a card, and results of it.
#pragma once
#include "app/state/app_state.h"
#include "app/state/device.h"
#include "app/state/edit.h"
#include "app/state/known_results.h"

namespace tilescope {

/// The first start on a machine with an H200, before anything is measured.
inline AppState state_with_card(const char* name = "NVIDIA H200") {
  AppState state = initial_state();
  worker::DeviceInfo card;
  card.id = "cuda:0", card.name = name;
  card.limits = state.limits;
  recordings_found(state, {});
  devices_found(state, {card});
  return state;
}

/// A measured result of a kernel's default tile on the present problem.
inline worker::KnownResult known(const AppState& state, const char* kernel, double tflops) {
  worker::KnownResult r;
  r.request.kernel = kernel;
  r.request.tile = find_kernel(kernel)->sliders.defaults();
  r.request.problem = state.edit.problem;
  r.measured = true;
  r.date = "2026-11-22";
  r.tflops = tflops, r.time_us = 1;
  return r;
}

}  // namespace tilescope
