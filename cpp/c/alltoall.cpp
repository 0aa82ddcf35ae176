// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/collective/alltoall.hpp"

#include <utility>

#include "c/calls.hpp"

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
    options.any_memory = given->any_memory != 0;
    if (given->torus != nullptr) {
        const auto torus = arguments.list(given->torus_dimensions, given->torus, "the torus");
        options.torus.assign(torus.begin(), torus.end());
    }
    return options;
}

}  // namespace

int transrank_alltoall_bind(MPI_Comm comm, const void* send, void* receive, int64_t block_bytes,
                            const transrank_alltoall_options* options,
                            transrank_exchange** exchange) {
    return c::create_agreed(__func__, comm, exchange, [&](const Arguments& arguments) {
        return [=, chosen = options_of(arguments, options)] {
            return c::Exchange{
                Alltoall(comm, send, receive, block_bytes, chosen, c::owner_of(send, receive))};
        };
    });
}

int transrank_alltoallv_bind(MPI_Comm comm, const void* send, const int64_t* send_bytes,
                             const int64_t* send_offsets, void* receive,
                             const int64_t* receive_bytes, const int64_t* receive_offsets,
                             const transrank_alltoall_options* options,
                             transrank_exchange** exchange) {
    return c::create_agreed(__func__, comm, exchange, [&](const Arguments& arguments) {
        const auto list = [&, ranks = c::ranks_of(comm)](const std::int64_t* given,
                                                         const char* name) {
            const auto values = arguments.list(ranks, given, name);
            return std::vector<std::int64_t>(values.begin(), values.end());
        };
        Blocks blocks{.send_offsets = list(send_offsets, "the offsets to send from"),
                      .send_bytes = list(send_bytes, "the bytes to send"),
                      .receive_offsets = list(receive_offsets, "the offsets to receive at"),
                      .receive_bytes = list(receive_bytes, "the bytes to receive")};
        return [=, blocks = std::move(blocks), chosen = options_of(arguments, options)] {
            return c::Exchange{
                Alltoall(comm, send, receive, blocks, chosen, c::owner_of(send, receive))};
        };
    });
}

int transrank_alltoall(MPI_Comm comm, const void* send, void* receive, int64_t block_bytes,
                       const transrank_alltoall_options* options) {
    return c::attempt([&, call = __func__] {
        exchange::KnownCommunicator::get(comm)->attempt([&] {
            const auto chosen = c::agreed(call, comm, [&](const Arguments& arguments) {
                return options_of(arguments, options);
            });
            const auto owner = c::owner_of(send, receive);
            collective::alltoall(comm, send, receive, block_bytes, chosen, owner);
        });
    });
}
