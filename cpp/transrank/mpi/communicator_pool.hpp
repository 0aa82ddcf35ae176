// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "transrank/mpi/communicator.hpp"

namespace transrank::mpi {

/// Another number for each number, without any pattern (splitmix64).
[[nodiscard]] std::uint64_t mixed(std::uint64_t number) noexcept;

/// Duplicates of one communicator, or tags of such, for objects that need their own and may be
/// destroyed at any time, in any order, on different ranks: freeing a communicator is collective,
/// returning one is not. A communicator, or the tags, are used again at a later `acquire`, where
/// all ranks are together and know from the sums of their states that all of them have returned it,
/// and have received all that was sent.
class CommunicatorPool {
    struct Duplicate;
    struct Entry;

public:
    /// The last message to a peer. The pool reads `sent` alone.
    struct LastWords {
        std::array<std::uint64_t, 2> words{};
        std::uint64_t sent = 0;  ///< how many messages to this peer came before
    };

    /// A communicator, or some tags of one, in use; returned on destruction.
    class Lease {
    public:
        Lease(Lease&&) noexcept = default;
        Lease& operator=(Lease&&) = delete;
        ~Lease();

        [[nodiscard]] const Communicator& comm() const noexcept;

        /// Where leases share a communicator, each has its own tag for each of [0, tags).
        [[nodiscard]] int tag(int number) const noexcept;

        /// Unless the balances of all ranks sum up to 0, the communicator is never used again.
        void set_balance(std::uint64_t balance) noexcept;

        /// Sends a message that its receiver expects, without waiting for it, with a tag of the
        /// lease.
        void send_last(int receiver, int tag, const LastWords& words);

        /// The pool receives what `sender` has sent before it uses the communicator again. These
        /// are the messages with `tag` beyond the first `received`. How many were `sent` is known
        /// if the sender's last words have come; else the pool receives those first, with
        /// `last_tag`.
        void expect_last(int sender, int last_tag, std::optional<std::uint64_t> sent, int tag,
                         std::uint64_t received);

        /// Nobody knows which messages are left in it: it is never used again, and never freed.
        void poison() noexcept;

    private:
        friend class CommunicatorPool;
        explicit Lease(std::shared_ptr<Entry> entry);
        std::shared_ptr<Entry> entry_;
    };

    /// Of duplicates of `base`, which outlives it. With `tags`, leases share them, and each has so
    /// many tags of one.
    explicit CommunicatorPool(const Communicator& base, int tags = 0);
    CommunicatorPool(const CommunicatorPool&) = delete;
    CommunicatorPool& operator=(const CommunicatorPool&) = delete;
    /// Frees what has been returned, after allow_freeing().
    ~CommunicatorPool();

    /// Takes the memory that the next `acquire` may need, so that it needs none.
    void prepare();

    /// How many entries one call of acquire looks at: a bound for the length of the reduction
    /// before it.
    static constexpr std::size_t most_examined = 16;
    static constexpr std::size_t words_of_state = 3;
    using States = std::array<std::uint64_t, most_examined * words_of_state>;

    /// How the communicators stand on this rank. Summed over all ranks, it is what `acquire` needs.
    [[nodiscard]] States states() const;

    /// Collective, after `prepare`. `states`: the sums of what `states()` has just said on each
    /// rank.
    [[nodiscard]] Lease acquire(std::span<const std::uint64_t> states);

    /// All ranks have said all that they will: receives what leases expect last. What does not come
    /// soon is left.
    void receive_last();

    /// All ranks destroy the pool now, in the same order: communicators may be freed.
    void allow_freeing() noexcept { may_free_ = true; }

private:
    [[nodiscard]] std::size_t examined() const;
    [[nodiscard]] const std::shared_ptr<Entry>& examined(std::size_t number) const;
    std::shared_ptr<Entry> reclaim(std::span<const std::uint64_t> sums);
    std::shared_ptr<Entry> made();

    const Communicator& base_;
    int tags_;
    int highest_tag_ = 0;
    std::shared_ptr<Duplicate> shared_;            ///< that has tags left, perhaps
    std::vector<std::shared_ptr<Entry>> entries_;  ///< the same on every rank
    std::size_t next_examined_ = 0;
    std::shared_ptr<Entry> spare_;  ///< that nobody has used yet
    std::shared_ptr<Duplicate> spare_duplicate_;
    bool may_free_ = false;
};

}  // namespace transrank::mpi
