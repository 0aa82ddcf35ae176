// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/mpi/collectives.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "transrank/mpi/error.hpp"

namespace transrank::mpi {
namespace {

// What arrives in the second of the two, once `begin` has begun it.
template <class Values, class Begin>
Values received(const Communicator& comm, Values own, std::size_t count, const Begin& begin) {
    const auto both = std::make_shared<std::pair<Values, Values>>(std::move(own), Values(count));
    MPI_Request request = MPI_REQUEST_NULL;
    begin(both->first.data(), both->second.data(), &request);
    comm.complete(std::span(&request, 1), both);
    return std::move(both->second);
}

}  // namespace

void combine(const Communicator& comm, Combination begin, std::span<std::byte> values, int count,
             MPI_Datatype type, MPI_Op op) {
    auto& [own, all] = comm.state()->words;
    std::ranges::copy(values, own.begin());
    MPI_Request request = MPI_REQUEST_NULL;
    check(begin(own.data(), all.data(), count, type, op, comm.handle(), &request),
          begin == &MPI_Iexscan ? "MPI_Iexscan" : "MPI_Iallreduce");
    comm.complete(std::span(&request, 1), comm.state());
    std::copy_n(all.begin(), values.size(), values.begin());
}

void broadcast(const Communicator& comm, std::span<std::byte> bytes, int root) {
    std::span<std::byte> place(comm.state()->words[0]);
    std::shared_ptr<void> memory = comm.state();
    if (bytes.size() > place.size()) {
        const auto longer = std::make_shared<std::vector<std::byte>>(bytes.size());
        place = *longer;
        memory = longer;
    }
    std::ranges::copy(bytes, place.begin());
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Ibcast(place.data(), static_cast<int>(bytes.size()), MPI_BYTE, root, comm.handle(),
                     &request),
          "MPI_Ibcast");
    comm.complete(std::span(&request, 1), memory);
    std::ranges::copy(place.first(bytes.size()), bytes.begin());
}

std::vector<std::int64_t> swapped(const Communicator& comm, std::span<const std::int64_t> values) {
    const auto each = static_cast<int>(values.size()) / comm.size();
    return received(comm, std::vector(values.begin(), values.end()), values.size(),
                    [&](const auto* own, auto* all, MPI_Request* request) {
                        check(MPI_Ialltoall(own, each, MPI_INT64_T, all, each, MPI_INT64_T,
                                            comm.handle(), request),
                              "MPI_Ialltoall");
                    });
}

std::vector<std::byte> gathered_bytes(const Communicator& comm, std::vector<std::byte> own) {
    const auto each = own.size();
    return received(comm, std::move(own), each * static_cast<std::size_t>(comm.size()),
                    [&](const auto* mine, auto* all, MPI_Request* request) {
                        const auto bytes = static_cast<int>(each);
                        check(MPI_Iallgather(mine, bytes, MPI_BYTE, all, bytes, MPI_BYTE,
                                             comm.handle(), request),
                              "MPI_Iallgather");
                    });
}

}  // namespace transrank::mpi
