// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "transrank/memory/node.hpp"
#include "transrank/mpi/agreement.hpp"
#include "transrank/mpi/communicator_pool.hpp"
#include "transrank/mpi/error.hpp"
#include "transrank/transport/failure.hpp"
#include "transrank/transport/tags.hpp"
#include "transrank/transport/transport.hpp"

namespace transrank::exchange {

/// Facts about a communicator, found when it is used for the first time and kept with it: which
/// ranks share memory, what transports have prepared, and communicators for messages. It is an
/// attribute of the user's communicator, which duplicates do not inherit.
class KnownCommunicator final : public std::enable_shared_from_this<KnownCommunicator> {
public:
    /// Collective. Makes started exchanges advance until all ranks have come. Throws BrokenExchange
    /// when a rank of this node ends instead of coming, if some communicator of it is known.
    [[nodiscard]] static std::shared_ptr<KnownCommunicator> get(MPI_Comm comm);

    explicit KnownCommunicator(MPI_Comm comm);
    KnownCommunicator(const KnownCommunicator&) = delete;
    KnownCommunicator& operator=(const KnownCommunicator&) = delete;
    ~KnownCommunicator();
    /// The communicator is being freed, on all of its ranks; or MPI is being finalized, and then
    /// nothing may be communicated any more. The caller holds this once.
    void detached(bool finalizing) noexcept;

    /// Collective. Makes started exchanges advance until all ranks have come, and returns a
    /// communicator of them for what is over before the next collective call; `sums`, 6 at most,
    /// are then the sums over all ranks. Throws BrokenExchange, then and ever after, when a rank of
    /// this node ends instead of coming, or one fails alone (`attempt`), here and in whatever waits
    /// over this communicator; mpi::AgreedError when ranks are in different calls (mpi::Call).
    const mpi::Communicator& meet(std::span<std::uint64_t> sums = {});

    /// Collective, as `meet`. A communicator for one object alone.
    [[nodiscard]] mpi::CommunicatorPool::Lease acquire();
    /// Collective, as `meet`. For the messages of one exchange: tags of a communicator that it
    /// shares with others. Nothing unless some rank needs them.
    [[nodiscard]] std::optional<mpi::CommunicatorPool::Lease> acquire_tags_if_needed(
        bool needed, std::span<std::uint64_t> sums = {});

    /// Collective, as `meet`. What `work` returns, which is collective, too: it begins with an
    /// agreement, and is given the communicator for that and the rest. `call` names what the user
    /// has called.
    template <class Work>
    auto together(std::string_view call, const Work& work) {
        const mpi::Call named(base_, call);
        return attempt([&] { return work(unbroken()); });
    }

    /// Collective. What `work` returns, which is collective, too. When it fails on this rank alone,
    /// for want of memory, the others are told, in this call or their next one.
    template <class Work>
    auto attempt(const Work& work) {
        try {
            return work();
        } catch (const mpi::AgreedError&) {
            throw;
        } catch (const mpi::Error&) {
            throw;
        } catch (const mpi::Misuse&) {
            throw;
        } catch (const transport::BrokenExchange&) {
            throw;
        } catch (...) {
            fail_alone();
            throw;
        }
    }

    /// Of all ranks, as returned by `meet`. The other throws BrokenExchange when one will not come.
    [[nodiscard]] const mpi::Communicator& base() const noexcept { return base_; }
    [[nodiscard]] const mpi::Communicator& unbroken() const;
    [[nodiscard]] int rank() const noexcept { return base().rank(); }
    [[nodiscard]] const memory::Node& node() const noexcept { return node_; }

    /// By transports, for all exchanges of these ranks.
    [[nodiscard]] transport::Prepared& prepared() noexcept { return prepared_; }

private:
    /// Collective, at the end: all ranks have told their peers what these need to know. Those of a
    /// rank that ends before may never be done with it. Returns whether it is `needed` on some
    /// rank: then all of them keep it, and part again when MPI is finalized.
    [[nodiscard]] bool part(bool needed) noexcept;
    struct Unparted;
    static void notice_finalization();
    static void part_from_all() noexcept;

    [[nodiscard]] std::optional<mpi::CommunicatorPool::Lease> acquire_from(
        mpi::CommunicatorPool& pool, bool needed, std::span<std::uint64_t> sums);

    [[nodiscard]] static std::uint64_t agreed_number(MPI_Comm comm);
    void fail_alone() noexcept;
    void while_waiting(int idle_rounds);

    std::uint64_t number_;  ///< the same on all ranks, and another one for each communicator
    mpi::Communicator base_;
    mpi::CommunicatorPool communicators_{base_};
    mpi::CommunicatorPool tags_{base_, transport::tags_of_exchange};
    bool may_free_ = false;  ///< all ranks destroy this now, in the same order
    memory::Node node_;
    transport::Prepared prepared_;
    transport::Failure failure_;  ///< why some rank will never come
    class Watch;
    std::unique_ptr<Watch> watch_;
    std::shared_ptr<KnownCommunicator> until_the_end_;  ///< itself, where it outlives the user's
};

}  // namespace transrank::exchange
