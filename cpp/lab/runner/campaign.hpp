// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "options.hpp"

namespace transrank::lab::runner {

/// Collective over MPI_COMM_WORLD. Measures what the options select and records it. Returns how
/// many cases failed; throws when measuring cannot go on.
int run_campaign(const Options& options);

}  // namespace transrank::lab::runner
