// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/study/open_arrays.hpp"

#include <mpi.h>

#include <new>
#include <stdexcept>
#include <thread>

#include "transrank/mpi/agreement.hpp"
#include "transrank/mpi/error.hpp"

namespace transrank::study {

using memory::MappedSegment;
using memory::SharedSegment;

/// What the others must know of a rank. Plain data.
struct OpenArrays::Told {
    memory::SegmentHandle array;
    memory::SegmentHandle flags;
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
};

OpenArrays::OpenArrays(const mpi::Communicator& comm, const route::Route& route,
                       std::span<const std::byte> own) {
    Told mine;
    mpi::agree(comm, [&] { mine = tell(own); });
    std::vector<Told> all(static_cast<std::size_t>(comm.size()));
    mpi::check(MPI_Allgather(&mine, sizeof(mine), MPI_BYTE, all.data(), sizeof(mine), MPI_BYTE,
                             comm.handle()),
               "MPI_Allgather");
    mpi::agree(comm, [&] { connect(route, all); });
}

OpenArrays::Told OpenArrays::tell(std::span<const std::byte> own) {
    segment_ = std::make_unique<SharedSegment>(sizeof(Flags));
    own_ = new (segment_->bytes().data()) Flags;
    const auto place = SharedSegment::find(own.data(), own.size());
    if (!place) {
        throw std::runtime_error("the array lies in memory that other ranks cannot map");
    }
    return {.array = place->handle,
            .flags = segment_->handle(),
            .offset = place->offset,
            .bytes = own.size()};
}

void OpenArrays::connect(const route::Route& route, std::span<const Told> all) {
    for (const auto& leg : route.receives()) {
        const auto& told = all[static_cast<std::size_t>(leg.peer)];
        arrays_[leg.peer] = {map(told.array) + told.offset, told.bytes};
        if (leg.peer != route.rank()) {
            senders_[leg.peer] = &flags_of(told);
        }
    }
    for (const auto& leg : route.sends()) {
        if (leg.peer != route.rank()) {
            readers_.push_back(&flags_of(all[static_cast<std::size_t>(leg.peer)]));
        }
    }
}

const std::byte* OpenArrays::map(const memory::SegmentHandle& handle) {
    return mappings_.emplace_back(MappedSegment::get(handle))->bytes().data();
}

const OpenArrays::Flags& OpenArrays::flags_of(const Told& told) {
    return *std::launder(reinterpret_cast<const Flags*>(map(told.flags)));
}

void OpenArrays::await_ready(int sender, std::uint64_t epoch) const {
    if (const auto found = senders_.find(sender); found != senders_.end()) {
        await(found->second->ready, epoch);
    }
}

void OpenArrays::await_readers(std::uint64_t epoch) const {
    for (const auto* reader : readers_) {
        await(reader->read, epoch);
    }
}

void OpenArrays::await(const transport::Flag& flag, std::uint64_t epoch) {
    constexpr int patience = 10'000;
    for (int looks = 0; flag.seen() < epoch; ++looks) {
        if (looks > patience) {
            std::this_thread::yield();
        }
    }
}

}  // namespace transrank::study
