// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "transrank/transport/field.hpp"

namespace transrank::redistribution {

/// How messages are sent: all at once, or to one peer after the other.
enum class Mode : std::uint8_t { automatic, async, sync };

/// What a message consists of.
enum class Packing : std::uint8_t {
    automatic,
    per_peer,  ///< all that a peer gets
    per_run,   ///< one box of what it gets; where points are listed, one run of them
    none,      ///< one contiguous run of one field, sent from where it lies to where it belongs
};

/// Whether the fields of a bundle move together.
enum class Bundle : std::uint8_t { automatic, together, per_field };

/// The same on every rank. `mode` and `packing` say how messages are made: with either of them data
/// go by messages, also on one node. They are there to be measured; what is left to `automatic` is
/// never slower.
struct Options {
    Mode mode = Mode::automatic;
    Packing packing = Packing::automatic;
    Bundle bundle = Bundle::automatic;
    /// `auto` or a name of the table of transports.
    std::string transport = "auto";
    /// See exchange::Options.
    transport::Stores stores = transport::Stores::measured;
};

[[nodiscard]] std::string_view name(Mode mode);
[[nodiscard]] std::string_view name(Packing packing);
[[nodiscard]] std::string_view name(Bundle bundle);

/// By their names: `auto`, `async`, `per-peer`, `per-field` ... Throw std::invalid_argument listing
/// the known ones.
[[nodiscard]] Mode mode_named(std::string_view name);
[[nodiscard]] Packing packing_named(std::string_view name);
[[nodiscard]] Bundle bundle_named(std::string_view name);

/// Whether data are to go by the messages that the options describe.
[[nodiscard]] bool asks_for_messages(const Options& options) noexcept;

/// Throws std::invalid_argument: an unknown transport, or an option that the others leave nothing
/// to say.
void check(const Options& options);

}  // namespace transrank::redistribution
