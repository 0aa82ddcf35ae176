// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "transrank/array/row_array.hpp"
#include "transrank/discovery/numbering.hpp"
#include "transrank/discovery/rows.hpp"
#include "transrank/exchange/exchange.hpp"
#include "transrank/exchange/known_communicator.hpp"
#include "transrank/mpi/communicator.hpp"

namespace transrank::array {

/// Which rows are ghosts of which, whatever the rows hold: it serves arrays of any element type and
/// row length.
struct GhostMapping {
    discovery::Numbering numbering;    ///< of the rows that the ranks own
    route::Route route;                ///< from owned rows to ghost rows, counted in rows
    std::vector<std::int64_t> ghosts;  ///< the global index of each ghost row
};

/// The part of an ArrayTransformer that does not depend on the element type: keeps the rows of
/// `son`, the ghosts, copies of rows of the ranks' `father`s.
///
/// Collective calls throw mpi::AgreedError with the same words on every rank, before anything has
/// moved, and make started exchanges advance until all ranks have come. From start to wait the
/// array that is read must not change, and the one that is written is undefined; a pull and a push
/// may be under way at once when their arrays allow it. One thread at a time may use an update. It
/// may be destroyed at any time, in any order on different ranks.
class GhostUpdate {
public:
    /// Collective. Calls after `comm` was freed throw exchange::Misuse.
    explicit GhostUpdate(MPI_Comm comm);
    GhostUpdate(GhostUpdate&&) noexcept = default;
    GhostUpdate& operator=(GhostUpdate&&) noexcept = default;
    virtual ~GhostUpdate() = default;

    /// Not collective. Takes two arrays, and forgets all mappings. Rows may still be added to the
    /// father; those of the son are made by the ghost mapping. Throws nothing.
    void set_father_son(std::shared_ptr<RowArray> father, std::shared_ptr<RowArray> son);

    /// Collective. Numbers the fathers' rows through all ranks, in rank order.
    void create_global_mapping();

    /// Collective. Makes the son's row i a copy of the row with global index `pulled[i]`, for each
    /// i, and resizes the son to these rows. An index may stand there more than once; it may be
    /// this rank's own.
    void create_ghost_mapping(std::span<const std::int64_t> pulled);
    /// Collective. The same from the owners' side: the father's row `rows[i]` becomes a ghost on
    /// rank `targets[i]`, for each i. The ghosts of a rank stand in the order of the ranks that
    /// push them, and then in that of the lists; ghosts() gives their global indices.
    void create_ghost_mapping(std::span<const std::int64_t> rows, std::span<const int> targets);
    /// Collective. Takes a route from owned rows to ghost rows that exists: one that was loaded.
    void use_route(const route::Route& route);
    /// Collective. Takes the mapping of `other`, whose rows may hold anything else, and resizes the
    /// son to it. The fathers have equally many rows on each rank.
    void borrow_mapping(const GhostUpdate& other);

    /// Collective. Makes the son's rows as long as those that they are copies of: to be called
    /// again when the father's rows have changed their lengths. Their number must be that of the
    /// mapping.
    virtual void fit_son() = 0;

    /// Collective. Binds the update of the ghosts from their owners, and returns it: it is there
    /// until the pull is bound again or cleared, as it is by whatever fits the son. Its start
    /// throws exchange::Misuse when an array was resized since.
    exchange::Exchange& init_persistent_pull(const exchange::Options& options = {}) {
        return pull_.emplace(bind_pull(options));
    }
    /// Start, test and wait of what init_persistent_pull returned; Misuse when there is nothing.
    void start_persistent_pull() { existing(pull_, "pull").start(); }
    [[nodiscard]] bool test_persistent_pull() { return existing(pull_, "pull").test(); }
    void wait_persistent_pull() { existing(pull_, "pull").wait(); }
    /// Not collective.
    void clear_persistent_pull() noexcept { pull_.reset(); }
    /// Collective. One pull, bound and forgotten.
    void pull_once(const exchange::Options& options = {}) { bind_pull(options).run(); }

    /// Collective. Binds the way back: `operation` happens to each owned row with its ghosts, one
    /// after the other in the order of the ranks that hold them, so that sums are the same bit by
    /// bit in every run. Elements other than numbers can only be assigned.
    exchange::Exchange& init_persistent_push(copy::Operation operation,
                                             const exchange::Options& options = {}) {
        return push_.emplace(bind_push(operation, options));
    }
    /// Start, test and wait of what init_persistent_push returned; Misuse when there is nothing.
    void start_persistent_push() { existing(push_, "push").start(); }
    [[nodiscard]] bool test_persistent_push() { return existing(push_, "push").test(); }
    void wait_persistent_push() { existing(push_, "push").wait(); }
    /// Not collective.
    void clear_persistent_push() noexcept { push_.reset(); }
    /// Collective. One push, bound and forgotten.
    void push_once(copy::Operation operation, const exchange::Options& options = {}) {
        bind_push(operation, options).run();
    }

    /// Collective. A pull, or a push, that the caller keeps.
    [[nodiscard]] exchange::Exchange bind_pull(const exchange::Options& options) const {
        return bind(options, false);
    }
    [[nodiscard]] exchange::Exchange bind_push(copy::Operation operation,
                                               exchange::Options options) const {
        options.operation = operation;
        return bind(options, true);
    }

    /// The global indices of the father's rows; none before create_global_mapping.
    [[nodiscard]] const std::optional<discovery::Numbering>& numbering() const noexcept {
        return numbering_;
    }
    /// Whether it was made for this communicator. Throws Misuse when its own was freed.
    [[nodiscard]] bool is_of(MPI_Comm comm) const;
    /// None before create_ghost_mapping, use_route or borrow_mapping.
    [[nodiscard]] const std::shared_ptr<const GhostMapping>& mapping() const noexcept {
        return mapping_;
    }
    /// The global index of each row of the son; -1 where no row arrives.
    [[nodiscard]] std::span<const std::int64_t> ghosts() const noexcept;
    /// Peers, bytes, runs and transports of the bound pull, or push, as a text table. Throws Misuse
    /// when there is none.
    [[nodiscard]] std::string explain_pull() const { return existing(pull_, "pull").explain(); }
    [[nodiscard]] std::string explain_push() const { return existing(push_, "push").explain(); }

protected:
    /// Collective. The first half of fit_son: the length that each row of the son must have, or
    /// nothing where it is that of all rows of the father.
    [[nodiscard]] std::vector<std::int64_t> begin_fit();
    /// Collective. The other half, when there is a son with such rows.
    void end_fit(std::shared_ptr<RowArray> son);

    [[nodiscard]] std::shared_ptr<exchange::KnownCommunicator> known() const;
    /// What a pull, or the way back, binds on this rank. Throws std::invalid_argument when it
    /// cannot.
    [[nodiscard]] exchange::Parts parts(int rank, bool back) const;

    /// Collective. What `work` returns, given a communicator for it, in this call.
    template <class Work>
    auto together(std::string_view call, const Work& work) const {
        return known()->together(call, work);
    }

private:
    /// The route between the rows of two arrays: in rows where all have one length, else in
    /// elements.
    struct Movement {
        layout::Rows father;
        layout::Rows son;
        std::shared_ptr<const route::Route> route;
        /// Made when first bound, and then the same for all.
        mutable std::shared_ptr<const route::Route> back = nullptr;

        [[nodiscard]] const std::shared_ptr<const route::Route>& way(bool is_back) const;
    };

    void check_arrays(int rank) const;
    void check_numbering(int rank) const;
    void check_mapping(int rank, const GhostMapping* mapping, const char* whose) const;
    void check_elements(int rank) const;
    void map(std::shared_ptr<const GhostMapping> mapping);
    [[nodiscard]] exchange::Exchange bind(const exchange::Options& options, bool back) const;

    template <class Maybe>
    static auto existing(Maybe& exchange, const char* name) -> decltype(*exchange) {
        if (!exchange) {
            throw exchange::Misuse("there is no persistent " + std::string(name) +
                                   "; init_persistent_" + name + " comes first");
        }
        return *exchange;
    }

    MPI_Comm comm_;
    std::weak_ptr<exchange::KnownCommunicator> known_;  ///< gone when the communicator is
    std::shared_ptr<RowArray> father_;
    std::shared_ptr<RowArray> son_;
    std::optional<discovery::Numbering> numbering_;
    std::shared_ptr<const GhostMapping> mapping_;
    std::optional<discovery::ArrivingRows> arriving_;
    std::optional<Movement> movement_;
    std::optional<exchange::Exchange> pull_;
    std::optional<exchange::Exchange> push_;
};

}  // namespace transrank::array
