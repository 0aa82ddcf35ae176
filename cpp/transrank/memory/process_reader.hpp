// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <sys/uio.h>

namespace transrank::memory {

/// Copies from the memory of another process of this node, which need not be shared:
/// process_vm_readv(2). The kernel allows it to whom it would allow to trace that process.
class ProcessReader {
public:
    explicit ProcessReader(std::int64_t process) : process_(process) {}

    /// Copies `bytes` bytes from that address of the process; now, or later up to finish(). Throws
    /// std::system_error when the kernel refuses, or nothing is mapped there.
    void read(std::uint64_t from, void* to, std::size_t bytes);
    void finish();

private:
    static constexpr std::size_t most_pieces = 512;                   // the kernel's are 1024
    static constexpr std::size_t most_bytes = std::size_t{1} << 30U;  // and 2 GiB
    std::int64_t process_;
    std::size_t pieces_ = 0;
    std::size_t bytes_ = 0;
    std::array<iovec, most_pieces> from_;
    std::array<iovec, most_pieces> to_;
};

}  // namespace transrank::memory
