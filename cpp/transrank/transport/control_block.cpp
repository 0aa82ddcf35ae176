// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/transport/control_block.hpp"

#include <new>
#include <system_error>

namespace transrank::transport {

ControlBlock::ControlBlock(std::size_t peers, bool shared)
    : peers_(peers), reason_("no peer shares memory with it") {
    const std::size_t flags = 2 + (2 * peers);
    if (shared) {
        try {
            block_ = std::make_unique<memory::SharedBlock>(flags * sizeof(Flag));
        } catch (const std::system_error& error) {
            reason_ = error.what();
        }
    }
    if (!block_) {
        private_ = std::vector<Flag>(flags);
        flags_ = private_.data();
        return;
    }
    handle_ = block_->handle();
    flags_ = reinterpret_cast<Flag*>(block_->bytes().data());
    for (std::size_t i = 0; i < flags; ++i) {
        new (flags_ + i) Flag;
    }
}

ControlBlock::View::View(const memory::BlockHandle& handle, std::size_t peers)
    : block_(std::make_unique<memory::MappedBlock>(handle)),
      flags_(reinterpret_cast<const Flag*>(block_->data())),
      peers_(peers) {}

}  // namespace transrank::transport
