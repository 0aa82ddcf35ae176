// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "transrank/mpi/lifetime.hpp"
#include "transrank/mpi/persistent_requests.hpp"
#include "transrank/transport/moves.hpp"
#include "transrank/transport/notices.hpp"
#include "transrank/transport/transport.hpp"

namespace transrank::transport {

/// What the transports by persistent sends and receives have in common: start all, test all, apply
/// what has arrived in turn. They differ in what their messages are made of, which `prepare`
/// decides by adding legs.
class PersistentTransfer : public Transport {
public:
    ~PersistentTransfer() override;
    PersistentTransfer(const PersistentTransfer&) = delete;
    PersistentTransfer& operator=(const PersistentTransfer&) = delete;

    void start(std::uint64_t epoch) override;
    bool progress() override;
    [[nodiscard]] bool done() const override { return to_apply_ == 0 && pending_ == 0; }
    [[nodiscard]] std::vector<int> awaited() const override;
    [[nodiscard]] bool polls_mpi() const override { return true; }
    void announce(const Breakage& breakage, std::uint64_t completed) override {
        notices_.send(breakage, completed);
    }

protected:
    PersistentTransfer(const Binding& binding, std::span<const PeerOffer* const> peers);

    using Group = mpi::PersistentRequests::Group;
    /// The leg from `rank`; `unpacking` is empty where the messages land in place. Incoming legs
    /// are added first, so that they are ready before anything is sent.
    void add_incoming(int rank, const Group& messages, std::vector<Move> unpacking);
    /// The leg to `rank`; `packing` is empty where the messages leave from place.
    void add_outgoing(int rank, const Group& messages, std::vector<Move> packing);

    [[nodiscard]] mpi::PersistentRequests& requests() noexcept { return requests_; }
    /// Memory for messages, kept as long as MPI may use it.
    [[nodiscard]] std::span<std::byte> allocate(std::int64_t bytes);

private:
    struct Leg {
        int rank;
        bool incoming;
        Group messages;
        std::vector<Move> moves;  ///< unpacking or packing
        int pending = 0;          ///< messages under way
        bool applied = true;      ///< of an incoming leg
    };
    void add(Leg leg);
    bool collect();
    bool apply();

    Turn& turn_;
    Notices notices_;
    std::span<const Field> fields_;
    std::vector<mpi::Buffer> buffers_;
    mpi::PersistentRequests requests_;
    std::vector<Leg> legs_;
    std::vector<std::size_t> leg_of_request_;
    std::uint64_t epoch_ = 0;
    std::size_t pending_ = 0;   ///< messages under way
    std::size_t to_apply_ = 0;  ///< incoming legs
};

}  // namespace transrank::transport
