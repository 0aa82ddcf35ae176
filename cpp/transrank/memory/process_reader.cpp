// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/memory/process_reader.hpp"

#include <algorithm>
#include <cerrno>
#include <string>
#include <sys/types.h>
#include <system_error>
#include <utility>

namespace transrank::memory {

void ProcessReader::read(std::uint64_t from, void* to, std::size_t bytes) {
    auto* place = static_cast<std::byte*>(to);
    while (bytes != 0) {
        if (pieces_ == most_pieces || bytes_ == most_bytes) {
            finish();
        }
        const auto piece = std::min(bytes, most_bytes - bytes_);
        // NOLINTNEXTLINE(performance-no-int-to-ptr): an address of the other process
        from_.at(pieces_) = {.iov_base = reinterpret_cast<void*>(from), .iov_len = piece};
        to_.at(pieces_) = {.iov_base = place, .iov_len = piece};
        ++pieces_;
        bytes_ += piece;
        from += piece;
        place += piece;
        bytes -= piece;
    }
}

void ProcessReader::finish() {
    if (pieces_ == 0) {
        return;
    }
    const auto pieces = std::exchange(pieces_, 0);
    const auto bytes = std::exchange(bytes_, 0);
    const auto read =
        process_vm_readv(static_cast<pid_t>(process_), to_.data(), pieces, from_.data(), pieces, 0);
    if (read < 0 || static_cast<std::size_t>(read) != bytes) {  // it ends where nothing is mapped
        throw std::system_error(
            read < 0 ? errno : EFAULT, std::generic_category(),
            "the memory of process " + std::to_string(process_) + " cannot be read");
    }
}

}  // namespace transrank::memory
