// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace transrank::transport {

/// The tags of an exchange's messages. Data and notices go over a communicator of its own, the
/// others over one of all that are bound to the same ranks, one after the other.
enum Tag : int {
    threshold_tag = 1,
    offer_tag,
    handle_tag,
    refusal_tag,
    data_tag,
    notice_tag,
    link_tag,
    plan_tag,
    node_notice_tag,
};

}  // namespace transrank::transport
