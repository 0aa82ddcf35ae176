// SPDX-License-Identifier: BSD-3-Clause
#include <cstdint>

#include "c/calls.hpp"

using namespace transrank;
using namespace transrank::c;

int transrank_numbering_create(MPI_Comm comm, int64_t owned, int table,
                               transrank_numbering** numbering) {
    return create_together(__func__, comm, numbering, [&](const Arguments&) {
        return [=](const mpi::Communicator& own) {
            return discovery::Numbering(own, owned, table != 0);
        };
    });
}

int transrank_numbering_range(const transrank_numbering* numbering, int64_t* begin, int64_t* end,
                              int64_t* extent) {
    return attempt([&] {
        const auto& object = Arguments().object(numbering);
        tell(begin, object.owned().begin);
        tell(end, object.owned().end);
        tell(extent, object.extent());
    });
}

int transrank_numbering_index(const transrank_numbering* numbering, int rank, int64_t row,
                              int64_t* index) {
    return attempt([&] {
        const auto found = Arguments().object(numbering).global_index(rank, row);
        *Arguments().pointer(index, "the place of the index") = found;
    });
}

int transrank_numbering_place(const transrank_numbering* numbering, int64_t index, int* rank,
                              int64_t* row) {
    return attempt([&] {
        const auto found = Arguments().object(numbering).place(index);
        *Arguments().pointer(rank, "the place of the rank") = found.rank;
        *Arguments().pointer(row, "the place of the row") = found.row;
    });
}
