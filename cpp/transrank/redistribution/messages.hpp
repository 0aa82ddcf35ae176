// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <span>

#include "transrank/exchange/exchange.hpp"
#include "transrank/redistribution/movement.hpp"

namespace transrank::redistribution {

/// Collective. Plain messages, made as the options say; `automatic` stands for async, per_peer and
/// together. Throws as bind.
[[nodiscard]] exchange::Exchange bind_messages(const route::Route& route, Cells cells,
                                               MPI_Comm comm,
                                               std::span<const transport::Field> fields,
                                               const Options& options);

}  // namespace transrank::redistribution
