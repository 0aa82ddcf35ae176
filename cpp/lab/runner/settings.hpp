// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace transrank::lab::runner {

/// The names of the MPI library's control variables, one a line. Throws mpi::Error.
[[nodiscard]] std::string list_settings();

/// Bytes from which on the MPI library may move a message another way, by the names of its control
/// variables (MPI's tools interface); empty where it names none. MPI is initialised.
[[nodiscard]] std::map<std::string, std::int64_t> message_limits();

}  // namespace transrank::lab::runner
