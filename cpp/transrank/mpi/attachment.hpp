// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <memory>

namespace transrank::mpi {

/// Data kept with a communicator of the user's from one call to the next, as an MPI attribute;
/// duplicates of the communicator do not inherit it.
class Attachment {
public:
    Attachment() = default;
    Attachment(const Attachment&) = delete;
    Attachment& operator=(const Attachment&) = delete;
    virtual ~Attachment() = default;

    /// The communicator is being freed, on all of its ranks; or MPI is being finalized, and then
    /// nothing may be communicated any more. The caller holds this once.
    virtual void detached(bool finalizing) noexcept = 0;
};

/// What is attached to `comm`; nullptr when there is nothing.
[[nodiscard]] std::shared_ptr<Attachment> attached_to(MPI_Comm comm);

/// Attaches `attachment` to `comm`, which has none yet.
void attach(MPI_Comm comm, std::shared_ptr<Attachment> attachment);

}  // namespace transrank::mpi
