// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "transrank/mpi/datatype.hpp"
#include "transrank/route/rows.hpp"
#include "transrank/route/segment.hpp"

namespace transrank::study::ghost_update {

/// The rows of one end of a leg as the ArrayTransformer describes them: one block for each row.
[[nodiscard]] mpi::Datatype rows_datatype(const route::Leg& leg, route::End end,
                                          std::int64_t row_bytes);

}  // namespace transrank::study::ghost_update
