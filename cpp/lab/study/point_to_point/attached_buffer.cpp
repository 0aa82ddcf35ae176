// SPDX-License-Identifier: BSD-3-Clause
#include "lab/study/point_to_point/attached_buffer.hpp"

#include "transrank/mpi/error.hpp"

namespace transrank::lab::study {

std::shared_ptr<AttachedBuffer> AttachedBuffer::share(std::int64_t message_bytes) {
    static std::weak_ptr<AttachedBuffer> current;
    auto buffer = current.lock();
    if (!buffer) {
        buffer = std::make_shared<AttachedBuffer>(message_bytes);
        current = buffer;
    }
    return buffer;
}

AttachedBuffer::AttachedBuffer(std::int64_t message_bytes) {
    const std::int64_t bytes = messages * (message_bytes + MPI_BSEND_OVERHEAD);
    // Written once, so that no page is touched for the first time by a send.
    memory_ = std::make_unique<std::byte[]>(static_cast<std::size_t>(bytes));
    mpi::check(MPI_Buffer_attach(memory_.get(), static_cast<int>(bytes)), "MPI_Buffer_attach");
}

AttachedBuffer::~AttachedBuffer() {
    if (std::uncaught_exceptions() > exceptions_) {
        // Detaching waits until all messages have gone; after an error that may be never. The
        // memory stays with MPI until the job ends.
        (void)memory_.release();  // NOLINT(bugprone-unused-return-value)
        return;
    }
    void* address = nullptr;
    int size = 0;
    MPI_Buffer_detach(static_cast<void*>(&address), &size);
}

}  // namespace transrank::lab::study
