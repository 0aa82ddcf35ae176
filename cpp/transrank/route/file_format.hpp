// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "transrank/route/route.hpp"

namespace transrank::route {

/// A route file is a sequence of 64-bit words in the byte order of the machine that wrote it:
///   magic, byte order, version, number of words in the file,
///   rank, ranks, source extent, destination extent, legs sent, legs received,
///   from version 2 on the shape of the source and that of the destination, each as its number of
///   dimensions (0 where the side is not a grid's) and their lengths,
///   per leg its peer and number of segments,
///   per segment, leg by leg, its source, destination and length, from version 2 on the number of
///   its loops (one before), and count and strides of each,
///   XXH64 of all words before.
using Words = std::vector<std::uint64_t>;

/// What is written; versions from 1 on are read.
inline constexpr std::uint64_t file_version = 2;

/// The words before the route's own.
using Head = std::array<std::uint64_t, 4>;

[[nodiscard]] Words encode(const Route& route);

/// Throws FileError, whose text begins with `name`, unless a route file of that size may begin so.
/// Bytes beyond the end of the file are ignored.
void check_head(const Head& head, std::uint64_t bytes, const std::string& name);

/// Of a file whose head has been checked. Throws FileError as well.
[[nodiscard]] Route decode(std::span<const std::uint64_t> file, const std::string& name);

}  // namespace transrank::route
