// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/collective/alltoall.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>

#include "c/calls.hpp"
#include "c/shared_arrays.hpp"

using namespace transrank;
using c::Arguments;
using collective::Alltoall;
using collective::AlltoallOptions;
using collective::Blocks;

namespace {

AlltoallOptions options_of(const Arguments& arguments, const transrank_alltoall_options* given) {
    AlltoallOptions options;
    if (given == nullptr) {
        return options;
    }
    const auto take = [](auto& option, auto value) {
        if (value) {
            option = value;
        }
    };
    take(options.algorithm, given->algorithm);
    take(options.choices, given->choices);
    take(options.radix, given->radix);
    take(options.window, given->window);
    take(options.leaders, given->leaders);
    take(options.ranks_per_node, given->ranks_per_node);
    if (given->torus != nullptr) {
        const auto torus = arguments.list(given->torus_dimensions, given->torus, "the torus");
        options.torus.assign(torus.begin(), torus.end());
    }
    return options;
}

c::Exchange kept(Alltoall alltoall) {
    return {.bound = std::move(alltoall), .explanation = {}};
}

}  // namespace

int transrank_alltoall_bind(MPI_Comm comm, const void* send, void* receive, int64_t block_bytes,
                            const transrank_alltoall_options* options,
                            transrank_exchange** exchange) {
    return c::create_agreed(
        __func__, comm, exchange,
        [&](const Arguments& arguments) { return options_of(arguments, options); },
        [&](const AlltoallOptions& chosen) {
            return kept(
                Alltoall(comm, send, receive, block_bytes, chosen, c::owner_of(send, receive)));
        });
}

int transrank_alltoallv_bind(MPI_Comm comm, const void* send, const int64_t* send_bytes,
                             const int64_t* send_offsets, void* receive,
                             const int64_t* receive_bytes, const int64_t* receive_offsets,
                             const transrank_alltoall_options* options,
                             transrank_exchange** exchange) {
    using Given = std::pair<Blocks, AlltoallOptions>;
    return c::create_agreed(
        __func__, comm, exchange,
        [&](const Arguments& arguments) {
            int ranks = 1;
            mpi::check(MPI_Comm_size(comm, &ranks), "MPI_Comm_size");
            const auto values = [&](const std::int64_t* given, const char* name) {
                const auto list = arguments.list(ranks, given, name);
                return std::vector<std::int64_t>(list.begin(), list.end());
            };
            return Given(
                Blocks{.send_offsets = values(send_offsets, "the offsets to send from"),
                       .send_bytes = values(send_bytes, "the bytes to send"),
                       .receive_offsets = values(receive_offsets, "the offsets to receive at"),
                       .receive_bytes = values(receive_bytes, "the bytes to receive")},
                options_of(arguments, options));
        },
        [&](const Given& given) {
            return kept(Alltoall(comm, send, receive, given.first, given.second,
                                 c::owner_of(send, receive)));
        });
}

int transrank_alltoall(MPI_Comm comm, const void* send, void* receive, int64_t block_bytes,
                       const transrank_alltoall_options* options) {
    return c::attempt([&, call = __func__] {
        const auto chosen = c::agreed(
            call, comm, [&](const Arguments& arguments) { return options_of(arguments, options); });
        collective::alltoall(comm, send, receive, block_bytes, chosen, c::owner_of(send, receive));
    });
}
