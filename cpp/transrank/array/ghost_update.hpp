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

/// Which ghost row is a copy of which owned row. A mapping can be used for arrays of any element
/// type and row length.
struct GhostMapping {
    discovery::Numbering numbering;    ///< global indices of all ranks' rows
    route::Route route;                ///< from owned rows to ghosts; its unit is a row
    std::vector<std::int64_t> ghosts;  ///< the global index of each ghost row
};

/// The part of an ArrayTransformer that does not depend on the element type. The array `father`
/// holds the rows that this rank owns; the array `son` holds its ghosts: copies of rows that other
/// ranks (or this one) own. These names come from a published benchmark. A pull copies owned rows
/// to ghosts; a push moves ghosts back to their owners.
///
/// A collective call that fails throws mpi::AgreedError with the same text on every rank, before
/// any data have moved. While collective calls wait for other ranks, started exchanges advance.
/// From start to wait, the array that is read must not change, and the contents of the array that
/// is written are undefined. A pull and a push may be in progress at once if neither writes an
/// array that the other uses. Only one thread at a time may use an update. It may be destroyed at
/// any time, in any order on different ranks.
class GhostUpdate {
public:
    /// Collective. Makes an update among the ranks of `comm`. Calls made after `comm` has been
    /// freed throw exchange::Misuse.
    explicit GhostUpdate(MPI_Comm comm);
    GhostUpdate(GhostUpdate&&) noexcept = default;
    GhostUpdate& operator=(GhostUpdate&&) noexcept = default;
    virtual ~GhostUpdate() = default;

    /// Not collective. Sets the array of owned rows (`father`) and the array of ghosts (`son`), and
    /// discards all mappings. Rows may still be added to the `father`; creating a ghost mapping
    /// resizes the `son`. Throws nothing.
    void set_father_son(std::shared_ptr<RowArray> father, std::shared_ptr<RowArray> son);

    /// Collective. Gives global indices to the rows of all fathers (owned rows), in rank order.
    void create_global_mapping();

    /// Collective. Makes row i of the son (the ghosts) a copy of the row with global index
    /// `pulled[i]`, for each i, and resizes the son accordingly. An index may occur more than once,
    /// and may be that of a row of this rank.
    void create_ghost_mapping(std::span<const std::int64_t> pulled);
    /// Collective. Lets owners choose the ghosts: for each i, row `rows[i]` of the father (the
    /// owned rows) becomes a ghost on rank `targets[i]`. A rank's ghosts are ordered by owner, then
    /// as in the owner's lists; ghosts() returns their global indices.
    void create_ghost_mapping(std::span<const std::int64_t> rows, std::span<const int> targets);
    /// Collective. Uses an existing `route` from owned rows to ghost rows, such as a loaded one,
    /// and resizes the son (the ghosts) accordingly.
    void use_route(const route::Route& route);
    /// Collective. Uses the mapping of `other`, whose rows may have another type and length, and
    /// resizes the son (the ghosts) accordingly. The fathers (owned rows) of both must have equally
    /// many rows on each rank.
    void borrow_mapping(const GhostUpdate& other);

    /// Collective. Gives each row of the son (the ghosts) the length of the owned row that it
    /// copies. Call it again when rows of the father (the owned rows) have changed their lengths;
    /// the number of these rows must still fit the mapping.
    virtual void fit_son() = 0;

    /// Collective. Binds a pull, which copies owned rows to their ghosts, and returns the exchange.
    /// It exists until a pull is bound again or cleared; set_father_son, a new mapping and fit_son
    /// clear it, too. Starting it throws exchange::Misuse if an array has been resized since.
    exchange::Exchange& init_persistent_pull(const exchange::Options& options = {}) {
        return pull_.emplace(bind_pull(options));
    }
    /// The start_, test_ and wait_ functions call start, test and wait of the exchange that
    /// init_persistent_pull returned. Throws Misuse if there is none.
    void start_persistent_pull() { existing(pull_, "pull").start(); }
    [[nodiscard]] bool test_persistent_pull() { return existing(pull_, "pull").test(); }
    void wait_persistent_pull() { existing(pull_, "pull").wait(); }
    /// Not collective. Destroys the bound pull, if any.
    void clear_persistent_pull() noexcept { pull_.reset(); }
    /// Collective. Copies owned rows to their ghosts once: binds a pull, runs it and destroys it.
    void pull_once(const exchange::Options& options = {}) { bind_pull(options).run(); }

    /// Collective. Binds a push, which moves ghosts back to their owners, and returns the exchange.
    /// `operation` combines each owned row with its ghosts, one after the other in the order of the
    /// ranks that hold the ghosts, so sums are bitwise identical in every run. Elements other than
    /// numbers can only be assigned.
    exchange::Exchange& init_persistent_push(copy::Operation operation,
                                             const exchange::Options& options = {}) {
        return push_.emplace(bind_push(operation, options));
    }
    /// The start_, test_ and wait_ functions call start, test and wait of the exchange that
    /// init_persistent_push returned. Throws Misuse if there is none.
    void start_persistent_push() { existing(push_, "push").start(); }
    [[nodiscard]] bool test_persistent_push() { return existing(push_, "push").test(); }
    void wait_persistent_push() { existing(push_, "push").wait(); }
    /// Not collective. Destroys the bound push, if any.
    void clear_persistent_push() noexcept { push_.reset(); }
    /// Collective. Moves ghosts to their owners once, combining them with the owned rows by
    /// `operation`: binds a push, runs it and destroys it.
    void push_once(copy::Operation operation, const exchange::Options& options = {}) {
        bind_push(operation, options).run();
    }

    /// Collective. Binds a pull (bind_pull) or a push with `operation` (bind_push), and returns the
    /// exchange, which the caller keeps.
    [[nodiscard]] exchange::Exchange bind_pull(const exchange::Options& options) const {
        return bind(options, false);
    }
    [[nodiscard]] exchange::Exchange bind_push(copy::Operation operation,
                                               exchange::Options options) const {
        options.operation = operation;
        return bind(options, true);
    }

    /// The global indices of the fathers' rows (all owned rows); empty before
    /// create_global_mapping.
    [[nodiscard]] const std::optional<discovery::Numbering>& numbering() const noexcept {
        return numbering_;
    }
    /// Whether the update was made for `comm`. Throws Misuse if the communicator of the update has
    /// been freed.
    [[nodiscard]] bool is_of(MPI_Comm comm) const;
    /// The mapping; null before create_ghost_mapping, use_route or borrow_mapping.
    [[nodiscard]] const std::shared_ptr<const GhostMapping>& mapping() const noexcept {
        return mapping_;
    }
    /// The global index of each row of the ghost array (the son); -1 for a row that receives no
    /// data.
    [[nodiscard]] std::span<const std::int64_t> ghosts() const noexcept;
    /// A text table of the peers, bytes, runs (contiguous pieces) and transports: of the bound pull
    /// for explain_pull, of the bound push for explain_push. Throws Misuse if that one is not
    /// bound.
    [[nodiscard]] std::string explain_pull() const { return existing(pull_, "pull").explain(); }
    [[nodiscard]] std::string explain_push() const { return existing(push_, "push").explain(); }

protected:
    /// Collective. The first half of fit_son. Returns the length of each row of the son, or an
    /// empty vector if all rows of the father have one length.
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
