#pragma once
#include "worker/worker_main.h"  // run_worker(), for programs that may not look into process/
