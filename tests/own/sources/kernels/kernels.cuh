#pragma once

#include "2d_blocktiling.cuh"
#include "naive.cuh"
#include "shared_block.cuh"
