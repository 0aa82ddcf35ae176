// SPDX-License-Identifier: BSD-3-Clause
#pragma once

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
    std::string explanation;
};

class GhostUpdate;

enum class Kind : std::uint8_t {
    freed,
    distribution,
    layout,
    numbering,
    route,
    exchange,
    ghost_update,
};

/// What a handle points to. It stays readable when the handle was freed, so that it can be told
/// from one that was not; it is used again as late as possible.
struct Handle {
    Kind kind = Kind::freed;
    std::shared_ptr<void> object;
};

/// A new handle of the object.
[[nodiscard]] Handle* keep(Kind kind, std::shared_ptr<void> object);

/// Takes the object away, and returns it.
std::shared_ptr<void> release(Handle& handle) noexcept;

/// "a route", "a handle that was freed".
[[nodiscard]] const char* name_of(Kind kind) noexcept;

template <class Public>
struct Behind;
template <>
struct Behind<transrank_distribution> {
    using Object = layout::Distribution;
    static constexpr Kind kind = Kind::distribution;
};
template <>
struct Behind<transrank_layout> {
    using Object = redistribution::Layout;
    static constexpr Kind kind = Kind::layout;
};
template <>
struct Behind<transrank_numbering> {
    using Object = discovery::Numbering;
    static constexpr Kind kind = Kind::numbering;
};
template <>
struct Behind<transrank_route> {
    using Object = Route;
    static constexpr Kind kind = Kind::route;
};
template <>
struct Behind<transrank_exchange> {
    using Object = Exchange;
    static constexpr Kind kind = Kind::exchange;
};
template <>
struct Behind<transrank_ghost_update> {
    using Object = GhostUpdate;
    static constexpr Kind kind = Kind::ghost_update;
};

/// The struct of a handle of C is never defined: its address is that of a Handle.
template <class Public>
[[nodiscard]] Handle* handle_of(const Public* given) noexcept {
    return reinterpret_cast<Handle*>(const_cast<Public*>(given));
}

/// What lies behind a handle; nullptr when it is none of this kind.
template <class Public>
[[nodiscard]] typename Behind<Public>::Object* object_of(const Public* given) noexcept {
    using Behind = Behind<Public>;
    const auto* handle = handle_of(given);
    if (handle == nullptr || handle->kind != Behind::kind) [[unlikely]] {
        return nullptr;
    }
    return static_cast<typename Behind::Object*>(handle->object.get());
}

template <class Public>
[[nodiscard]] Public* keep(typename Behind<Public>::Object object) {
    using Object = typename Behind<Public>::Object;
    return reinterpret_cast<Public*>(
        keep(Behind<Public>::kind, std::make_shared<Object>(std::move(object))));
}

}  // namespace transrank::c
