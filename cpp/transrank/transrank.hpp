// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The whole library. A program describes who owns what (layout), makes a route from it (route),
/// and binds arrays to the route (exchange, array, redistribution, collective).

#include "transrank/array/array_transformer.hpp"
#include "transrank/array/field.hpp"
#include "transrank/array/par_array.hpp"
#include "transrank/collective/alltoall.hpp"
#include "transrank/discovery/blocks.hpp"
#include "transrank/discovery/cells.hpp"
#include "transrank/discovery/ghost.hpp"
#include "transrank/discovery/lists.hpp"
#include "transrank/discovery/numbering.hpp"
#include "transrank/discovery/route_files.hpp"
#include "transrank/exchange/exchange.hpp"
#include "transrank/grid/ghosts.hpp"
#include "transrank/grid/grid.hpp"
#include "transrank/layout/block_grid.hpp"
#include "transrank/layout/distribution.hpp"
#include "transrank/layout/rows.hpp"
#include "transrank/memory/array_memory.hpp"
#include "transrank/redistribution/redistribution.hpp"
#include "transrank/route/alltoall.hpp"
#include "transrank/route/consistency.hpp"
#include "transrank/route/file.hpp"
#include "transrank/route/halo.hpp"
#include "transrank/route/redistribution.hpp"
#include "transrank/route/route.hpp"
#include "transrank/version.h"

/// Where a program begins.
namespace transrank {
using array::field;
using array::fields;
using grid::Ghosts;
using grid::Grid;
}  // namespace transrank

/// Routes that ranks make together stand beside those that each makes for itself.
namespace transrank::route {
using discovery::alltoallv;
using discovery::ghost_pull;
using discovery::ghost_push;
using discovery::grid_to_lists;
using discovery::lists_to_grid;
using discovery::lists_to_lists;
using discovery::load;
using discovery::save;
}  // namespace transrank::route
