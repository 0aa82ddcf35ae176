// SPDX-License-Identifier: BSD-3-Clause
#include "c/handles.hpp"

#include <cstddef>
#include <deque>
#include <mutex>

namespace transrank::c {
namespace {

/// All handles that there have been. Never destroyed: programs may free theirs at their very end.
struct Handles {
    std::mutex mutex;
    std::deque<Handle> all;  // where they lie does not change
    std::deque<Handle*> freed;
};

Handles& handles() {
    static auto* const kept = new Handles;
    return *kept;
}

constexpr std::size_t freed_before_reuse = 1024;

}  // namespace

Handle* keep(Kind kind, std::shared_ptr<void> object) {
    auto& [mutex, all, freed] = handles();
    const std::lock_guard lock(mutex);
    Handle* handle = nullptr;
    if (freed.size() > freed_before_reuse) {
        handle = freed.front();
        freed.pop_front();
    } else {
        handle = &all.emplace_back();
    }
    *handle = {.kind = kind, .object = std::move(object)};
    return handle;
}

std::shared_ptr<void> release(Handle& handle) noexcept {
    auto& [mutex, all, freed] = handles();
    const std::lock_guard lock(mutex);
    handle.kind = Kind::freed;
    auto object = std::move(handle.object);
    try {
        freed.push_back(&handle);
    } catch (...) {  // NOLINT(bugprone-empty-catch): it is not used again, then
    }
    return object;
}

const char* name_of(Kind kind) noexcept {
    switch (kind) {
        case Kind::distribution:
            return "a distribution";
        case Kind::layout:
            return "a layout";
        case Kind::numbering:
            return "a numbering";
        case Kind::route:
            return "a route";
        case Kind::exchange:
            return "an exchange";
        case Kind::ghost_update:
            return "a ghost update";
        case Kind::freed:
            break;
    }
    return "a handle that was freed";
}

}  // namespace transrank::c
