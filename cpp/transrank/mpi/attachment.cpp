// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/mpi/attachment.hpp"

#include <utility>

#include "transrank/mpi/communicator.hpp"
#include "transrank/mpi/error.hpp"

namespace transrank::mpi {
namespace {

using Holder = std::shared_ptr<Attachment>;

extern "C" int transrank_detach(MPI_Comm comm, int /*key*/, void* value, void* /*extra*/) {
    const std::unique_ptr<Holder> holder(static_cast<Holder*>(value));
    // Nobody can free these two but MPI_Finalize.
    const bool finalizing = comm == MPI_COMM_WORLD || comm == MPI_COMM_SELF;
    (*holder)->detached(finalizing);
    return MPI_SUCCESS;
}

int make_key() {
    int key = MPI_KEYVAL_INVALID;
    check(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, transrank_detach, &key, nullptr),
          "MPI_Comm_create_keyval");
    return key;
}

// Never freed: attributes are deleted as late as in MPI_Finalize.
int key() {
    static const int made = make_key();
    return made;
}

}  // namespace

std::shared_ptr<Attachment> attached_to(MPI_Comm comm) {
    require_communicator(comm);
    void* value = nullptr;
    int found = 0;
    check(MPI_Comm_get_attr(comm, key(), &value, &found), "MPI_Comm_get_attr");
    return found != 0 ? *static_cast<Holder*>(value) : nullptr;
}

void attach(MPI_Comm comm, std::shared_ptr<Attachment> attachment) {
    auto holder = std::make_unique<Holder>(std::move(attachment));
    check(MPI_Comm_set_attr(comm, key(), holder.get()), "MPI_Comm_set_attr");
    (void)holder.release();  // NOLINT(bugprone-unused-return-value): MPI holds it now
}

}  // namespace transrank::mpi
