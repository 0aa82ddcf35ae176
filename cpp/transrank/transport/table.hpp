// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transrank/transport/transport.hpp"

// Every transport's row is made in its own file; transport.cpp lists them.
namespace transrank::transport {

Entry self_copy();
Entry shared_direct();
Entry shared_staged();
Entry node_staged();
Entry message();

}  // namespace transrank::transport
