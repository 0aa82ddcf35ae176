// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/memory/node_mate.hpp"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <map>
#include <new>
#include <random>
#include <span>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include "transrank/memory/process_reader.hpp"
#include "transrank/mpi/lifetime.hpp"

namespace transrank::memory {
namespace {

/// What lies in the shared memory of a doorbell. What others read without mapping it comes first.
struct Content {
    std::uint64_t nonce = 0;
    std::atomic<bool> is_finalizing = false;
    Doorbell doorbell;
};

Content& content_of(std::span<std::byte> memory) {
    return *std::launder(reinterpret_cast<Content*>(memory.data()));
}

std::uint64_t random_nonce() {
    constexpr int half = 32;
    std::random_device random;
    return (std::uint64_t{random()} << half) | random();
}

/// That of this process; without shared memory it lies in private memory.
struct OwnSegment {
    std::unique_ptr<SharedSegment> memory;
    Content* content = nullptr;
    NodeMate::Address address;

    OwnSegment() {
        try {
            memory = std::make_unique<SharedSegment>(sizeof(Content));
            address.segment = memory->handle();
            content = new (memory->bytes().data()) Content;
        } catch (const std::system_error&) {
            content = new Content;
        }
        content->nonce = address.nonce = random_nonce();
        address.nonce_at = reinterpret_cast<std::uintptr_t>(&content->nonce);
    }
};

// Used by peers that ring after main() has ended.
OwnSegment& own_segment() {
    return mpi::lasting<OwnSegment>();
}

void announce_end() noexcept {
    own_segment().content->is_finalizing = true;
}

struct Glimpse {
    std::uint64_t nonce = 0;
    bool is_finalizing = false;
};
static_assert(offsetof(Glimpse, is_finalizing) == offsetof(Content, is_finalizing));

/// Without mapping it. Throws as MappedSegment.
Glimpse look_at(const SegmentHandle& segment) {
    Glimpse glimpse;
    read_segment(segment, {reinterpret_cast<std::byte*>(&glimpse),
                           offsetof(Glimpse, is_finalizing) + sizeof(bool)});
    return glimpse;
}

void check_nonce(std::uint64_t found, std::uint64_t meant) {
    if (found != meant) {
        throw std::runtime_error("the memory found under its handle belongs to another process");
    }
}

}  // namespace

NodeMate::Address NodeMate::own() {
    [[maybe_unused]] static const bool announced = (mpi::before_finalize(announce_end), true);
    return own_segment().address;
}

std::shared_ptr<NodeMate> NodeMate::get(const Address& address) {
    static auto* const mutex = new std::mutex;
    static auto* const known = new std::map<std::uint64_t, std::weak_ptr<NodeMate>>;
    const std::lock_guard lock(*mutex);
    std::erase_if(*known, [](const auto& entry) { return entry.second.expired(); });
    auto& entry = (*known)[address.nonce];
    auto mate = entry.lock();
    if (!mate) {
        mate = std::make_shared<NodeMate>(address);
        entry = mate;
    }
    return mate;
}

NodeMate::NodeMate(const Address& address) : address_(address) {
    if (!address.segment.is_shared()) {
        throw std::runtime_error("it could not allocate shared memory");
    }
    check_nonce(look_at(address.segment).nonce, address.nonce);
}

Doorbell& NodeMate::doorbell() {
    const std::lock_guard lock(mutex_);
    if (!mapping_) {
        auto mapping = MappedSegment::get(address_.segment);
        check_nonce(content_of(mapping->bytes()).nonce, address_.nonce);
        process_ = WatchedProcess::get(address_.segment.process);
        mapping_ = std::move(mapping);
    }
    return content_of(mapping_->bytes()).doorbell;
}

const WatchedProcess* NodeMate::process() const {
    const std::lock_guard lock(mutex_);
    return process_.get();
}

std::string NodeMate::reason_against_reading() const try {
    const char* const asked = std::getenv(kernel_copy_variable);
    if (asked != nullptr && std::string_view(asked) == "0") {
        return std::string(kernel_copy_variable) + " is 0";
    }
    std::uint64_t found = 0;
    ProcessReader reader(address_.segment.process);
    reader.read(address_.nonce_at, &found, sizeof(found));
    reader.finish();
    return found == address_.nonce ? "" : "another process has the number that it has for itself";
} catch (const std::system_error& refused) {
    return refused.what();
}

// A process that has ended holds no file, also while nobody has reaped it.
bool NodeMate::has_ended() const {
    const auto* const watched = process();
    return watched != nullptr ? !watched->is_alive() : is_gone(address_.segment);
}

bool NodeMate::has_left() const try {
    if (has_ended()) {
        return true;
    }
    const std::lock_guard lock(mutex_);
    return mapping_ ? content_of(mapping_->bytes()).is_finalizing.load()
                    : look_at(address_.segment).is_finalizing;
} catch (const std::exception&) {  // it may be ending, or this process has no descriptor left
    return false;
}

Doorbell& own_doorbell() {
    return own_segment().content->doorbell;
}

}  // namespace transrank::memory
