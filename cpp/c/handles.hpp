// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "c/transrank/transrank.h"
#include "transrank/array/ghost_update.hpp"
#include "transrank/discovery/numbering.hpp"
#include "transrank/exchange/exchange.hpp"
#include "transrank/layout/distribution.hpp"
#include "transrank/redistribution/redistribution.hpp"
#include "transrank/route/route.hpp"

/// The handles of the C interface, and what lies behind them.
namespace transrank::c {

/// A route, and the global indices of the ghosts that it was made for.
struct Route {
    std::shared_ptr<const route::Route> value;
    std::vector<std::int64_t> ghosts;
};

struct Exchange {
    exchange::Exchange bound;
    std::string explanation = {};
};

class GhostUpdate;
class SharedArray;

enum class Kind : std::uint8_t {
    none,
    distribution,
    layout,
    numbering,
    route,
    exchange,
    ghost_update,
    memory,
};

/// Where the object of a handle is kept. Each object that comes here has another handle: none that
/// was freed is valid again.
struct Place {
    std::uint64_t handle = 0;  ///< generation and number of the place, of 32 bits each
    std::shared_ptr<void> object;
    std::uint32_t next_free = 0;
    Kind kind = Kind::none;
};

/// Places are never given back, and do not move: block i has twice as many as block i - 1.
inline constexpr int first_block_bits = 6;
inline std::array<Place*, 33 - first_block_bits> blocks{};

/// The place with a number, if it was made.
[[nodiscard]] inline Place* place_of(std::uint32_t number) noexcept {
    const auto position = std::uint64_t{number} + (std::uint64_t{1} << first_block_bits);
    const auto bits = static_cast<unsigned>(std::bit_width(position)) - 1;
    auto* const block = blocks[bits - first_block_bits];
    return block == nullptr ? nullptr : block + (position - (std::uint64_t{1} << bits));
}

/// A new handle of the object.
[[nodiscard]] std::uint64_t keep(Kind kind, std::shared_ptr<void> object);

/// Takes the object away, and returns it.
std::shared_ptr<void> release(Place& place) noexcept;

/// "a route".
[[nodiscard]] const char* name_of(Kind kind) noexcept;

template <class Type, Kind its_kind>
struct Of {
    using Object = Type;
    static constexpr Kind kind = its_kind;
};
template <class Public>
struct Behind;
template <>
struct Behind<transrank_distribution> : Of<layout::Distribution, Kind::distribution> {};
template <>
struct Behind<transrank_layout> : Of<redistribution::Layout, Kind::layout> {};
template <>
struct Behind<transrank_numbering> : Of<discovery::Numbering, Kind::numbering> {};
template <>
struct Behind<transrank_route> : Of<Route, Kind::route> {};
template <>
struct Behind<transrank_exchange> : Of<Exchange, Kind::exchange> {};
template <>
struct Behind<transrank_ghost_update> : Of<GhostUpdate, Kind::ghost_update> {};
template <>
struct Behind<transrank_memory> : Of<SharedArray, Kind::memory> {};

/// Where the object of a handle is; nullptr unless it is a valid one. The struct of a handle of C
/// is never defined: its address is a number.
[[nodiscard]] inline Place* find(const void* given) noexcept {
    const auto handle = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(given));
    auto* const place = place_of(static_cast<std::uint32_t>(handle));
    return place != nullptr && place->handle == handle ? place : nullptr;
}

/// What lies behind a handle; nullptr when it is none of this kind.
template <class Public>
[[nodiscard]] typename Behind<Public>::Object* object_of(const Public* given) noexcept {
    using Behind = Behind<Public>;
    const auto* place = find(given);
    if (place == nullptr || place->kind != Behind::kind) [[unlikely]] {
        return nullptr;
    }
    return static_cast<typename Behind::Object*>(place->object.get());
}

template <class Public>
[[nodiscard]] Public* keep(typename Behind<Public>::Object object) {
    using Object = typename Behind<Public>::Object;
    return reinterpret_cast<Public*>(static_cast<std::uintptr_t>(
        keep(Behind<Public>::kind, std::make_shared<Object>(std::move(object)))));
}

/// What keeps the memory at this place, where it is of transrank_shared_alloc; else nothing.
[[nodiscard]] std::shared_ptr<void> owner_of(const void* place);

/// Both, or nothing where neither is known.
[[nodiscard]] std::shared_ptr<void> owner_of(const void* one, const void* other);

}  // namespace transrank::c
