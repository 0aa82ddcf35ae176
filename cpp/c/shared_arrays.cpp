// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <utility>

#include "c/calls.hpp"
#include "transrank/memory/array_memory.hpp"

namespace transrank::c {
namespace {

/// By where they begin. Never destroyed, as handles are not.
struct Arrays {
    std::mutex mutex;
    std::map<const std::byte*, std::shared_ptr<memory::ArrayMemory>, std::less<>> by_place;
};

Arrays& arrays() {
    static auto* const kept = new Arrays;
    return *kept;
}

std::shared_ptr<memory::ArrayMemory> allocated(std::int64_t bytes) {
    layout::require(bytes >= 0, bytes, " bytes are asked for; give 0 or more");
    auto made = std::make_shared<memory::ArrayMemory>(static_cast<std::size_t>(
        std::max<std::int64_t>(bytes, 1)));  // no two arrays begin at one place
    auto& [mutex, by_place] = arrays();
    const std::lock_guard lock(mutex);
    by_place.emplace(made->bytes().data(), made);
    return made;
}

// Not within the lock: memory goes in its own time.
std::shared_ptr<memory::ArrayMemory> taken_out(const void* begin) {
    auto& [mutex, by_place] = arrays();
    const std::lock_guard lock(mutex);
    const auto found = by_place.find(static_cast<const std::byte*>(begin));
    layout::require(found != by_place.end(), "at ", begin,
                    " no memory of transrank_shared_alloc begins, or it was freed");
    auto memory = std::move(found->second);
    by_place.erase(found);
    return memory;
}

}  // namespace

std::shared_ptr<void> owner_of(const void* place) {
    auto& [mutex, by_place] = arrays();
    const std::lock_guard lock(mutex);
    const auto* const byte = static_cast<const std::byte*>(place);
    auto found = by_place.upper_bound(byte);
    if (found == by_place.begin()) {
        return nullptr;
    }
    --found;
    const auto bytes = found->second->bytes();
    return std::less<>()(byte, bytes.data() + bytes.size()) ? found->second : nullptr;
}

std::shared_ptr<void> owner_of(const void* one, const void* other) {
    auto owners = std::pair(owner_of(one), owner_of(other));
    if (!owners.first && !owners.second) {
        return nullptr;
    }
    return std::make_shared<decltype(owners)>(std::move(owners));
}

/// Memory with a handle of its own, for those who free by more than an address, which a later array
/// may have.
class SharedArray {
public:
    explicit SharedArray(std::int64_t bytes) : memory_(allocated(bytes)) {}
    SharedArray(SharedArray&&) = default;
    SharedArray& operator=(SharedArray&&) = default;
    ~SharedArray() {
        if (memory_ != nullptr) {
            auto& [mutex, by_place] = arrays();
            const std::lock_guard lock(mutex);
            const auto found = by_place.find(memory_->bytes().data());
            if (found != by_place.end() && found->second == memory_) {
                by_place.erase(found);
            }
        }
    }
    [[nodiscard]] void* begin() const noexcept { return memory_->bytes().data(); }

private:
    std::shared_ptr<memory::ArrayMemory> memory_;
};

}  // namespace transrank::c

using namespace transrank::c;

int transrank_shared_alloc(int64_t bytes, void** memory) {
    return attempt([&] {
        *Arguments().pointer(memory, "the last argument") = nullptr;
        *memory = allocated(bytes)->bytes().data();
    });
}

int transrank_shared_free(void** memory) {
    return attempt([&] {
        void*& given = *Arguments().pointer(memory, "the memory's variable");
        if (given != nullptr) {
            taken_out(given).reset();
            given = nullptr;
        }
    });
}

int transrank_shared_alloc_f(int64_t bytes, void** memory, transrank_memory** handle) {
    return create(handle, [&](const Arguments& arguments) {
        auto*& place = *arguments.pointer(memory, "the place of the memory");
        place = nullptr;
        SharedArray made(bytes);
        place = made.begin();
        return made;
    });
}
