// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <stdexcept>

#include "transrank/route/route.hpp"

namespace transrank::route {

/// Thrown if a route file cannot be read or written, or a file is not a route file; the text names
/// the path and the reason.
class FileError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Writes one rank's route to the file `path`. The file appears whole or not at all: it is written
/// under another name in the same folder, synchronized to the disk and renamed. Throws FileError if
/// this fails.
void save(const Route& route, const std::filesystem::path& path);

/// Returns the route that `save` wrote to `path` on a machine of the same endianness. Throws
/// FileError, which states the reason, if the file cannot be read, is truncated or altered, has
/// another version, or is not a route file.
[[nodiscard]] Route load(const std::filesystem::path& path);

}  // namespace transrank::route
