// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <iosfwd>
#include <string>

#include "options.hpp"

namespace transrank::lab::runner {

/// Whether only MPI can say how the grid of `options.plan` is divided.
[[nodiscard]] bool plan_needs_mpi(const Options& options);

/// What each rank of `options.plan` sends and receives, in cells, as JSON lines; with
/// `ranks_per_node` also what each node needs. Parts and periods are one number for each dimension.
///
///     512x1024x16,2x4,4x2[,RANK]            a redistribution, the first dimension fastest, in
///                                           memory and over ranks; what is left out is not divided
///     halo,512x512,4x4,1x1,0x1,box          parts, or none: MPI divides the grid among `ranks`;
///                                           widths; which dimensions are periodic; box or star
///     ghosts                                of each line of `lists`: how many rows a rank owns,
///     and
///                                           global indices of rows that it wants
///     routes,PLACE                          the routes that route.save has written there
///     alltoall,8192[,NAME]                  among `ranks`, by all algorithms or one; bytes of a
///                                           block
///
/// Throws UsageError.
[[nodiscard]] std::string plan(const Options& options, std::istream& lists);

}  // namespace transrank::lab::runner
