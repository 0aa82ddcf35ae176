// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/mpi/swap.hpp"

#include <mpi.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "transrank/mpi/error.hpp"

namespace transrank::mpi {

void swap_with(const Communicator& comm, std::span<const int> peers, int tag,
               std::span<const std::byte> sent, std::span<std::byte> received) {
    using Bytes = std::vector<std::byte>;
    std::vector<MPI_Request> requests(2 * peers.size(), MPI_REQUEST_NULL);
    const auto both = std::make_shared<std::pair<Bytes, Bytes>>(Bytes(sent.begin(), sent.end()),
                                                                Bytes(received.size()));
    const auto part = peers.empty() ? 0 : sent.size() / peers.size();
    const auto bytes = static_cast<int>(part);
    for (std::size_t i = 0; i < peers.size(); ++i) {
        check(MPI_Irecv(both->second.data() + (i * part), bytes, MPI_BYTE, peers[i], tag,
                        comm.handle(), &requests[2 * i]),
              "MPI_Irecv");
        check(MPI_Isend(both->first.data() + (i * part), bytes, MPI_BYTE, peers[i], tag,
                        comm.handle(), &requests[(2 * i) + 1]),
              "MPI_Isend");
    }
    comm.complete(requests, both);
    std::ranges::copy(both->second, received.begin());
}

}  // namespace transrank::mpi
