// SPDX-License-Identifier: BSD-3-Clause
#include "c/handles.hpp"

#include <cstddef>
#include <limits>
#include <mutex>
#include <new>

namespace transrank::c {
namespace {

static_assert(sizeof(void*) == sizeof(std::uint64_t));

std::mutex mutex;
std::uint32_t made = 0;
constexpr auto no_place = std::numeric_limits<std::uint32_t>::max();
std::uint32_t first_free = no_place;

constexpr std::uint64_t one_generation = std::uint64_t{1} << 32U;

// The number of a place that is free.
std::uint32_t free_place() {
    if (first_free != no_place) {
        return first_free;
    }
    if (made == no_place) {
        throw std::bad_alloc();
    }
    if (place_of(made) == nullptr) {  // the first of its block
        const auto all = std::uint64_t{made} + (std::uint64_t{1} << first_block_bits);
        const auto bits = static_cast<unsigned>(std::bit_width(all)) - 1;
        blocks[bits - first_block_bits] = new Place[all];
    }
    place_of(made)->handle = one_generation + made;
    place_of(made)->next_free = no_place;
    return first_free = made++;
}

}  // namespace

std::uint64_t keep(Kind kind, std::shared_ptr<void> object) {
    const std::lock_guard lock(mutex);
    auto& place = *place_of(free_place());
    first_free = place.next_free;
    place.kind = kind;
    place.object = std::move(object);
    return place.handle;
}

std::shared_ptr<void> release(Place& place) noexcept {
    const std::lock_guard lock(mutex);
    const auto number = static_cast<std::uint32_t>(place.handle);
    place.kind = Kind::none;
    place.handle += one_generation;
    if (place.handle >= one_generation) {  // else all its handles have been used
        place.next_free = first_free;
        first_free = number;
    }
    return std::move(place.object);
}

const char* name_of(Kind kind) noexcept {
    static constexpr std::array names{"nothing", "a distribution", "a layout",       "a numbering",
                                      "a route", "an exchange",    "a ghost update", "memory"};
    return names[static_cast<std::size_t>(kind)];
}

}  // namespace transrank::c
