// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

namespace transrank::c {

/// What keeps the memory at this place, where it is of transrank_shared_alloc; else nothing.
[[nodiscard]] std::shared_ptr<void> owner_of(const void* place);

/// Both, or nothing where neither is known.
[[nodiscard]] std::shared_ptr<void> owner_of(const void* one, const void* other);

}  // namespace transrank::c
