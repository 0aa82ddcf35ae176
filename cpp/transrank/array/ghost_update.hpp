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

/// Which ghost row is a copy of which owned row. A mapping serves arrays of any element type and
/// row length.
struct GhostMapping {
    discovery::Numbering numbering;    ///< global indices of all ranks' rows
    route::Route route;                ///< from owned rows to ghosts, in rows
    std::vector<std::int64_t> ghosts;  ///< the global index of each ghost row
};

/// The part of an ArrayTransformer that does not depend on the element type. It keeps the rows of
/// `son` (this rank's ghosts) copies of rows of `father` (the owned rows) on the ranks that own
/// them. These names come from a published benchmark. A pull copies owned rows to ghosts; a push
/// moves ghosts back to their owners.
///
/// Collective calls throw mpi::AgreedError with the same text on every rank, before any data have
/// moved. While they wait for other ranks, started exchanges advance. From start to wait, the array
/// that is read must not change, and the array that is written is undefined; a pull and a push may
/// be in progress at once when their arrays allow it. Only one thread at a time may use an update.
/// It may be destroyed at any time, in any order on different ranks.
class GhostUpdate {
public:
    /// Collective. Makes an update among the ranks of `comm`. Calls after `comm` was freed throw
    /// exchange::Misuse.
    explicit GhostUpdate(MPI_Comm comm);
    GhostUpdate(GhostUpdate&&) noexcept = default;
    GhostUpdate& operator=(GhostUpdate&&) noexcept = default;
    virtual ~GhostUpdate() = default;

    /// Not collective. Sets the two arrays, and forgets all mappings. Rows may still be added to
    /// the `father`; the ghost mapping makes the rows of the `son`. Throws nothing.
    void set_father_son(std::shared_ptr<RowArray> father, std::shared_ptr<RowArray> son);

    /// Collective. Gives the rows of all fathers global indices, in rank order.
    void create_global_mapping();

    /// Collective. Makes row i of the son a copy of the row with global index `pulled[i]`, for each
    /// i, and resizes the son to these rows. An index may occur more than once; it may be of a row
    /// of this rank.
    void create_ghost_mapping(std::span<const std::int64_t> pulled);
    /// Collective. Lets owners choose the ghosts: the father's row `rows[i]` becomes a ghost on
    /// rank `targets[i]`, for each i. The ghosts of a rank are ordered by owner, then as in the
    /// owner's lists; ghosts() returns their global indices.
    void create_ghost_mapping(std::span<const std::int64_t> rows, std::span<const int> targets);
    /// Collective. Uses an existing `route` from owned rows to ghost rows, such as a loaded one,
    /// and resizes the son to it.
    void use_route(const route::Route& route);
    /// Collective. Uses the mapping of `other`, whose rows may have any other contents, and resizes
    /// the son to it. Both fathers must have equally many rows on each rank.
    void borrow_mapping(const GhostUpdate& other);

    /// Collective. Gives each row of the son the length of the owned row that it copies. Call it
    /// again when rows of the father have changed their lengths; the number of rows must still be
    /// that of the mapping.
    virtual void fit_son() = 0;

    /// Collective. Binds the update of the ghosts from their owners, and returns the exchange. It
    /// exists until the pull is bound again or cleared; new arrays, a new mapping and fit_son clear
    /// it, too. Its start throws exchange::Misuse when an array was resized after the binding.
    exchange::Exchange& init_persistent_pull(const exchange::Options& options = {}) {
        return pull_.emplace(bind_pull(options));
    }
    /// Call start, test and wait of the exchange that init_persistent_pull returned. Throws Misuse
    /// when there is none.
    void start_persistent_pull() { existing(pull_, "pull").start(); }
    [[nodiscard]] bool test_persistent_pull() { return existing(pull_, "pull").test(); }
    void wait_persistent_pull() { existing(pull_, "pull").wait(); }
    /// Not collective. Destroys the bound pull, if any.
    void clear_persistent_pull() noexcept { pull_.reset(); }
    /// Collective. Pulls once: binds a pull, runs it and destroys it.
    void pull_once(const exchange::Options& options = {}) { bind_pull(options).run(); }

    /// Collective. Binds the push of the ghosts to their owners, and returns the exchange.
    /// `operation` combines each owned row with its ghosts, one after the other in the order of the
    /// ranks that hold them, so sums are bitwise identical in every run. Elements other than
    /// numbers can only be assigned.
    exchange::Exchange& init_persistent_push(copy::Operation operation,
                                             const exchange::Options& options = {}) {
        return push_.emplace(bind_push(operation, options));
    }
    /// Call start, test and wait of the exchange that init_persistent_push returned. Throws Misuse
    /// when there is none.
    void start_persistent_push() { existing(push_, "push").start(); }
    [[nodiscard]] bool test_persistent_push() { return existing(push_, "push").test(); }
    void wait_persistent_push() { existing(push_, "push").wait(); }
    /// Not collective. Destroys the bound push, if any.
    void clear_persistent_push() noexcept { push_.reset(); }
    /// Collective. Pushes once, combining with `operation`: binds a push, runs it and destroys it.
    void push_once(copy::Operation operation, const exchange::Options& options = {}) {
        bind_push(operation, options).run();
    }

    /// Collective. Binds a pull, or a push with `operation`, and returns the exchange, which the
    /// caller keeps.
    [[nodiscard]] exchange::Exchange bind_pull(const exchange::Options& options) const {
        return bind(options, false);
    }
    [[nodiscard]] exchange::Exchange bind_push(copy::Operation operation,
                                               exchange::Options options) const {
        options.operation = operation;
        return bind(options, true);
    }

    /// The global indices of the fathers' rows; empty before create_global_mapping.
    [[nodiscard]] const std::optional<discovery::Numbering>& numbering() const noexcept {
        return numbering_;
    }
    /// Whether the update was made for `comm`. Throws Misuse when its own communicator was freed.
    [[nodiscard]] bool is_of(MPI_Comm comm) const;
    /// The mapping; null before create_ghost_mapping, use_route or borrow_mapping.
    [[nodiscard]] const std::shared_ptr<const GhostMapping>& mapping() const noexcept {
        return mapping_;
    }
    /// The global index of each row of the son; -1 where no row arrives.
    [[nodiscard]] std::span<const std::int64_t> ghosts() const noexcept;
    /// Peers, bytes, runs (contiguous pieces) and transports of the bound pull, or push, as a text
    /// table. Throws Misuse when none is bound.
    [[nodiscard]] std::string explain_pull() const { return existing(pull_, "pull").explain(); }
    [[nodiscard]] std::string explain_push() const { return existing(push_, "push").explain(); }

protected:
    /// Collective. The first half of fit_son. Returns the length of each row of the son, or nothing
    /// if all rows of the father have one length.
    [[nodiscard]] std::vector<std::int64_t> begin_fit();
    /// Collective. The second half of fit_son, once `son` has rows of these lengths.
    void end_fit(std::shared_ptr<RowArray> son);

    [[nodiscard]] std::shared_ptr<exchange::KnownCommunicator> known() const;
    /// What a pull (or, if `back`, a push) binds on this rank. Throws std::invalid_argument when it
    /// cannot be bound.
    [[nodiscard]] exchange::Parts parts(int rank, bool back) const;

    /// Collective. Returns what `work` returns, given a communicator for this call.
    template <class Work>
    auto together(std::string_view call, const Work& work) const {
        return known()->together(call, work);
    }

private:
    /// The route between the rows of two arrays: in rows if all have one length, otherwise in
    /// elements.
    struct Movement {
        layout::Rows father;
        layout::Rows son;
        std::shared_ptr<const route::Route> route;
        /// Made when a push is first bound; all later pushes use it.
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
