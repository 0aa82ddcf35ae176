// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transrank/transport/transport.hpp"

// Every transport's row is made in its own file; transport.cpp lists them.
namespace transrank::transport {

template <class Made>
[[nodiscard]] std::unique_ptr<Transport> make(const Binding& binding, Peers peers) {
    return std::make_unique<Made>(binding, peers);
}

Entry self_copy();
Entry shared_direct();
Entry kernel_copy();
Entry shared_staged();
Entry node_staged();
Entry message();

}  // namespace transrank::transport
