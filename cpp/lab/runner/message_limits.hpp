// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace transrank::lab::runner {

/// Bytes from which on the MPI library may move a message another way, by the names of its control
/// variables (MPI's tools interface); empty where it names none. MPI is initialised.
[[nodiscard]] std::map<std::string, std::int64_t> message_limits();

}  // namespace transrank::lab::runner
