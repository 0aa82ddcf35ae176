// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/mpi/point_to_point.hpp"

#include <memory>
#include <utility>

#include "transrank/mpi/error.hpp"

namespace transrank::mpi {
namespace {

using Bytes = std::vector<std::byte>;

}  // namespace

MPI_Request begin_send(std::span<const std::byte> bytes, const Partner& to,
                       std::source_location where) {
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Isend(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, to.rank, to.tag,
                    to.comm.handle(), &request),
          "MPI_Isend", where);
    return request;
}

MPI_Request begin_receive(std::span<std::byte> bytes, const Partner& from,
                          std::source_location where) {
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Irecv(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, from.rank, from.tag,
                    from.comm.handle(), &request),
          "MPI_Irecv", where);
    return request;
}

std::optional<MPI_Status> arrived(MPI_Comm comm, int rank, int tag, std::source_location where) {
    int there = 0;
    MPI_Status status{};
    check(MPI_Iprobe(rank, tag, comm, &there, &status), "MPI_Iprobe", where);
    return there != 0 ? std::optional(status) : std::nullopt;
}

void send(const Communicator& comm, int rank, int tag, std::span<const std::byte> bytes) {
    const auto kept = std::make_shared<Bytes>(bytes.begin(), bytes.end());
    auto request = begin_send(*kept, {.comm = comm, .rank = rank, .tag = tag});
    comm.complete(std::span(&request, 1), kept);
}

Bytes receive(const Communicator& comm, int rank, int tag) {
    std::optional<MPI_Status> status;
    comm.wait_until([&] {
        status = arrived(comm.handle(), rank, tag);
        return status.has_value();
    });
    int bytes = 0;
    check(MPI_Get_count(&*status, MPI_BYTE, &bytes), "MPI_Get_count");
    const auto kept = std::make_shared<Bytes>(static_cast<std::size_t>(bytes));
    auto request = begin_receive(*kept, {.comm = comm, .rank = status->MPI_SOURCE, .tag = tag});
    comm.complete(std::span(&request, 1), kept);
    return std::move(*kept);
}

Bytes gathered(const Communicator& comm, std::span<const int> ranks, int tag, Bytes own) {
    const int root = ranks.front();
    if (comm.rank() != root) {
        send(comm, root, tag, own);
        return receive(comm, root, tag);
    }
    for (const int rank : ranks.subspan(1)) {
        const auto theirs = receive(comm, rank, tag);
        own.insert(own.end(), theirs.begin(), theirs.end());
    }
    for (const int rank : ranks.subspan(1)) {
        send(comm, rank, tag, own);
    }
    return own;
}

Bytes swapped_with(const Communicator& comm, std::span<const int> peers, int tag, Bytes sent) {
    const auto part = peers.empty() ? 0 : sent.size() / peers.size();
    const auto both =
        std::make_shared<std::pair<Bytes, Bytes>>(std::move(sent), Bytes(part * peers.size()));
    auto& [out, in] = *both;
    std::vector<MPI_Request> requests;
    requests.reserve(2 * peers.size());
    for (std::size_t i = 0; i < peers.size(); ++i) {
        const Partner peer{.comm = comm, .rank = peers[i], .tag = tag};
        requests.push_back(begin_receive(std::span(in).subspan(i * part, part), peer));
        requests.push_back(begin_send(std::span(out).subspan(i * part, part), peer));
    }
    comm.complete(requests, both);
    return std::move(in);
}

}  // namespace transrank::mpi
