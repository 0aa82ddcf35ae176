// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "c/arguments.hpp"
#include "transrank/exchange/exchange.hpp"

namespace transrank::c {

/// Throws std::invalid_argument unless there is such an operation.
void check_options(const Arguments& arguments, const transrank_options* given);

/// An operation that there is not becomes assign: options are needed before ranks can agree.
[[nodiscard]] exchange::Options options_of(const transrank_options* given);

}  // namespace transrank::c
