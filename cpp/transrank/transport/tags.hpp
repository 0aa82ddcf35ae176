// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace transrank::transport {

/// The tags of an exchange's messages; it has a communicator of its own.
enum Tag : int { offer_tag = 1, handle_tag, refusal_tag, data_tag, notice_tag };

}  // namespace transrank::transport
