// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

#include "transrank/layout/block_grid.hpp"

namespace transrank::bindings {

/// `C` or `F`, as in NumPy; throws std::invalid_argument on anything else.
[[nodiscard]] layout::Order order_named(std::string_view name);

}  // namespace transrank::bindings
