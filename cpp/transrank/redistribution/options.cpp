// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/redistribution/options.hpp"

#include <array>
#include <cstddef>
#include <string>

#include "transrank/layout/require.hpp"
#include "transrank/transport/transport.hpp"

namespace transrank::redistribution {
namespace {

using Names = std::array<std::string_view, 4>;

// In the order of the enumerators.
constexpr Names modes{"auto", "async", "sync", ""};
constexpr Names packings{"auto", "per-peer", "per-run", "none"};
constexpr Names bundles{"auto", "together", "per-field", ""};

template <class Choice>
Choice named(const Names& names, const char* what, std::string_view name) {
    std::string known;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (!names[i].empty() && names[i] == name) {
            return static_cast<Choice>(i);
        }
        known += (known.empty() || names[i].empty() ? "" : ", ") + std::string(names[i]);
    }
    layout::refuse("unknown ", what, " '", name, "'; known: ", known);
}

}  // namespace

std::string_view name(Mode mode) {
    return modes[static_cast<std::size_t>(mode)];
}

std::string_view name(Packing packing) {
    return packings[static_cast<std::size_t>(packing)];
}

std::string_view name(Bundle bundle) {
    return bundles[static_cast<std::size_t>(bundle)];
}

Mode mode_named(std::string_view name) {
    return named<Mode>(modes, "mode", name);
}

Packing packing_named(std::string_view name) {
    return named<Packing>(packings, "packing", name);
}

Bundle bundle_named(std::string_view name) {
    return named<Bundle>(bundles, "bundle", name);
}

bool asks_for_messages(const Options& options) noexcept {
    return options.mode != Mode::automatic || options.packing != Packing::automatic;
}

void check(const Options& options) {
    if (options.transport != "auto") {
        (void)transport::find(options.transport);
    }
    const bool has_messages = options.transport == "auto" || options.transport == "message";
    const bool by_mode = options.mode != Mode::automatic;
    layout::require(!asks_for_messages(options) || has_messages, by_mode ? "mode '" : "packing '",
                    by_mode ? name(options.mode) : name(options.packing),
                    "' says how messages are made, which the transport '", options.transport,
                    "' does its own way; leave one of them out, or take the transport message");
}

}  // namespace transrank::redistribution
