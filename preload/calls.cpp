// SPDX-License-Identifier: BSD-3-Clause
#include <exception>

#include "call.hpp"
#include "communicator.hpp"
#include "summary.hpp"

namespace transrank::carry {
namespace {

/// False: the block is left to MPI, which may report an error.
bool add(Blocks& blocks, const Call& call, const Side& side, int rank) {
    const auto count = call.count(side, rank);
    const auto* const type = layout_of(call.type(side, rank));
    if (type == nullptr || count < 0 || (count > 0 && side.base == MPI_BOTTOM)) {
        return false;
    }
    const auto offset = call.offset(side, rank) * (call.kind == Kind::alltoallw ? 1 : type->extent);
    auto* const base = static_cast<std::byte*>(const_cast<void*>(side.base));
    blocks.streams.emplace_back(*type, base + offset, count);
    blocks.bytes += type->bytes * count;
    return true;
}

void describe(Request& request, const Call& call, int size) {
    request.kind = call.kind;
    request.sends.clear();
    request.receives.clear();
    // MPI reports two buffers that are one.
    const auto* const from = call.sends.base;
    request.refuses = from == MPI_IN_PLACE || (from == call.receives.base && from != nullptr);
    try {
        for (int rank = 0; rank < size && !request.refuses; ++rank) {
            request.refuses = !add(request.sends, call, call.sends, rank) ||
                              !add(request.receives, call, call.receives, rank);
        }
    } catch (const std::exception&) {
        request.refuses = true;
    }
}

}  // namespace

extern "C" int transrank_carry_call(const Call& call, int (*by_mpi)(const void*),
                                    const void* context) {
    const auto begin = Clock::now();
    auto* const known = Communicator::of(call.comm);
    auto way = known == nullptr ? Way::refused : known->enter(call.kind);
    thread_local Request request;
    if (way == Way::carried) {
        describe(request, call, known->size());
        way = known->ask(request);
    }
    int code = MPI_ERR_OTHER;
    if (way != Way::broken) {
        const auto agreed = Clock::now();
        code = way == Way::carried ? known->move(request) : by_mpi(context);
        if (known != nullptr) {
            known->took(Clock::now() - agreed);
        }
    }
    count(call.kind, way, begin);
    if (code != MPI_SUCCESS && (way == Way::carried || way == Way::broken)) {
        PMPI_Comm_call_errhandler(call.comm, code);
    }
    return code;
}

}  // namespace transrank::carry
