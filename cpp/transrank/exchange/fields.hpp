// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "transrank/copy/field.hpp"
#include "transrank/mpi/communicator.hpp"
#include "transrank/route/route.hpp"

namespace transrank::exchange {

/// The ranks that data come from, ascending.
[[nodiscard]] std::vector<int> sources_of(const route::Route& route);

/// Whether arrivals must be applied in the order of ranks: they are combined, or some destination
/// is written more than once.
[[nodiscard]] bool needs_order(const route::Route& route, copy::Operation operation);

/// Throws std::invalid_argument when the fields do not fit the route on this rank.
void check_fields(const route::Route& route, const mpi::Communicator& comm,
                  std::span<const copy::Field> fields, copy::Operation operation);

/// Whether fields could be moved in place of others: types, lengths and views are the same.
[[nodiscard]] bool are_alike(std::span<const copy::Field> fields,
                             std::span<const copy::Field> other);

/// The same when another set of fields is to be moved in place of `fields`.
void check_like(std::span<const copy::Field> fields, std::span<const copy::Field> other, int rank);

/// The same of fields like those that have been checked where these were `bound`.
void check_arrays(const route::Route& route, std::span<const copy::Field> fields,
                  std::span<const copy::Memory> bound);

}  // namespace transrank::exchange
