// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <system_error>
#include <vector>

#include "transrank/memory/shared_pool.hpp"
#include "transrank/mpi/point_to_point.hpp"
#include "transrank/transport/control_block.hpp"
#include "transrank/transport/tags.hpp"

/// Two ranks of a node measure something together.
namespace transrank::transport {

/// Where they wait for each other. Both give up after 20 ms: one of them has no core.
class Meeting {
public:
    Meeting(Flag& own, const Flag& other) : own_(own), other_(other) {}

    /// Returns when the other one has come as often, or it is late.
    void meet() {
        own_.publish(++times_);
        while (other_.seen() < times_ && !late_) {
            late_ = Clock::now() > end_;
        }
    }
    [[nodiscard]] bool is_late() const noexcept { return late_; }

private:
    using Clock = std::chrono::steady_clock;

    Flag& own_;
    const Flag& other_;
    Clock::time_point end_ = Clock::now() + std::chrono::milliseconds(20);
    std::uint64_t times_ = 0;
    bool late_ = false;
};

/// Collective over this rank and `partner`, which share memory. Both run `measure(areas, which)`,
/// where `areas` are memory of the lower rank, and `which` is 0 on that rank and 1 on the other.
/// Returns on both what the lower one has found: nothing where it could not measure.
template <class Areas, class Result, class Measure>
[[nodiscard]] std::optional<Result> measured_with(const mpi::Communicator& comm, int partner,
                                                  const Measure& measure) {
    struct Found {
        Result result;
        std::int64_t is_found;
    };
    const auto swap = [&](const auto& own) {
        return mpi::swapped_with(comm, std::span(&partner, 1), threshold_tag, std::vector{own})
            .front();
    };
    const auto measured_at = [&](std::byte* memory, std::size_t which) {
        return measure(*std::launder(reinterpret_cast<Areas*>(memory)), which);
    };
    const bool is_lower = comm.rank() < partner;
    std::unique_ptr<memory::SharedBlock> own;
    std::optional<Result> found;
    try {
        if (is_lower) {
            own = std::make_unique<memory::SharedBlock>(sizeof(Areas));
            new (own->bytes().data()) Areas;
        }
    } catch (const std::system_error&) {  // no memory: then the handle is empty
    }
    const auto theirs = swap(own ? own->handle() : memory::BlockHandle{});
    try {
        if (own) {
            found = measured_at(own->bytes().data(), 0);
        } else if (theirs.is_shared()) {
            const memory::MappedBlock mapped(theirs);
            found = measured_at(mapped.data(), 1);
        }
    } catch (const std::exception&) {  // the other one waits in vain, and not for long
    }
    const auto lower = swap(Found{.result = found.value_or(Result{}), .is_found = found ? 1 : 0});
    if (is_lower) {
        return found;
    }
    return lower.is_found != 0 ? std::optional(lower.result) : std::nullopt;
}

}  // namespace transrank::transport
