// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace transrank::transport {

/// What an exchange's messages are for. Data and notices go with tags of its own lease, over a
/// communicator that it shares with other exchanges; the others over one of all that are bound to
/// the same ranks, one after the other.
enum Tag : int {
    unsent_tag,  ///< of no message: MPI makes no progress in a probe that finds one
    threshold_tag,
    offer_tag,
    handle_tag,
    refusal_tag,
    data_tag,
    notice_tag,
    link_tag,
    plan_tag,
    node_notice_tag,
    parting_tag,
    failure_tag,
};

/// Enough for each Tag.
inline constexpr int tags_of_exchange = 16;
static_assert(failure_tag < tags_of_exchange);

}  // namespace transrank::transport
