// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <memory>

namespace transrank::lab::study {

/// The buffer of MPI_Bsend, attached as long as somebody holds it. A process has one.
class AttachedBuffer {
public:
    /// Messages that it holds: one under way, and those whose space MPI has not taken back yet.
    static constexpr std::int64_t messages = 4;
    /// The largest message it can be made for: MPI counts its bytes in int.
    static constexpr std::int64_t most_message_bytes =
        (std::numeric_limits<int>::max() / messages) - MPI_BSEND_OVERHEAD;

    /// The attached buffer; attaches one for messages of `message_bytes` when there is none.
    [[nodiscard]] static std::shared_ptr<AttachedBuffer> share(std::int64_t message_bytes);

    explicit AttachedBuffer(std::int64_t message_bytes);
    AttachedBuffer(const AttachedBuffer&) = delete;
    AttachedBuffer& operator=(const AttachedBuffer&) = delete;
    ~AttachedBuffer();

private:
    std::unique_ptr<std::byte[]> memory_;  // NOLINT(modernize-avoid-c-arrays)
    int exceptions_ = std::uncaught_exceptions();
};

}  // namespace transrank::lab::study
