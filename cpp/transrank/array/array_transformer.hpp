// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "transrank/array/ghost_mapping.hpp"
#include "transrank/array/par_array.hpp"
#include "transrank/array/persistent_exchange.hpp"
#include "transrank/array/scalar.hpp"
#include "transrank/discovery/rows.hpp"
#include "transrank/layout/require.hpp"
#include "transrank/mpi/agreement.hpp"

namespace transrank::array {

/// Keeps copies of other ranks' rows up to date: `father` holds the rows that this rank owns, `son`
/// its ghosts, copies of rows that other ranks (or this one) own.
///
///     ArrayTransformer<double, 5> transformer(MPI_COMM_WORLD);
///     transformer.set_father_son(father, son);
///     transformer.create_global_mapping();
///     transformer.create_ghost_mapping(global_rows_wanted);
///     transformer.init_persistent_pull();
///     for (...) {
///         transformer.start_persistent_pull();
///         ...                                    // compute what needs no ghosts
///         transformer.wait_persistent_pull();
///     }
///
/// Collective calls throw mpi::AgreedError with the same words on every rank, before anything has
/// moved. From start to wait the array that is read must not change, and the one that is written is
/// undefined; a pull and a push may be under way at once when their arrays allow it. One thread at
/// a time may use a transformer.
template <class T, std::int64_t rs = 1, std::int64_t rm = rs, std::int64_t al = 1>
class ArrayTransformer {
public:
    using Array = ParArray<T, rs, rm, al>;
    using Communicator = std::shared_ptr<const mpi::Communicator>;

    /// Collective: duplicates the communicator. Transformers are destroyed in the same order on
    /// every rank, or after MPI_Finalize.
    explicit ArrayTransformer(MPI_Comm comm)
        : comm_(std::make_shared<const mpi::Communicator>(comm)) {}
    /// Shares a duplicate with others: MPI has only some thousand communicators.
    explicit ArrayTransformer(Communicator comm) : comm_(std::move(comm)) {}

    /// Not collective. Takes the two arrays, and forgets all mappings. Rows may still be added to
    /// the father; those of the son are made by the ghost mapping.
    void set_father_son(std::shared_ptr<Array> father, std::shared_ptr<Array> son) {
        clear_persistent_pull();
        clear_persistent_push();
        father_ = std::move(father);
        son_ = std::move(son);
        numbering_.reset();
        mapping_.reset();
        movement_.reset();
    }

    /// Collective. Numbers the fathers' rows through all ranks, in rank order.
    void create_global_mapping() {
        mpi::agree(*comm_, [&] { check_arrays(); });
        numbering_.emplace(*comm_, father_->size());
    }

    /// Collective. Makes the son's row i a copy of the row with global index `pulled[i]`, for each
    /// i, and resizes the son to these rows. An index may stand there more than once; it may be
    /// this rank's own.
    void create_ghost_mapping(std::span<const std::int64_t> pulled) {
        mpi::agree(*comm_, [&] { check_numbered(); });
        mapping_ = pulled_mapping(*comm_, *numbering_, pulled);
        fit_son();
    }

    /// Collective. The same from the owners' side: the father's row `rows[i]` becomes a ghost on
    /// rank `targets[i]`, for each i. The ghosts of a rank stand in the order of the ranks that
    /// push them, and then in that of the lists; ghosts() tells their global indices.
    void create_ghost_mapping(std::span<const std::int64_t> rows, std::span<const int> targets) {
        mpi::agree(*comm_, [&] { check_numbered(); });
        mapping_ = pushed_mapping(*comm_, *numbering_, rows, targets);
        fit_son();
    }

    /// Collective. Takes a route from owned rows to ghost rows that exists: one that was loaded.
    void use_route(const route::Route& route) {
        mpi::agree(*comm_, [&] { check_numbered(); });
        mapping_ = mapping_along(*comm_, *numbering_, route);
        fit_son();
    }

    /// Collective. Takes the mapping of another transformer, whose rows may hold anything else, and
    /// resizes the son to it. The fathers have equally many rows on each rank.
    template <class Other>
    void borrow_mapping(const Other& other) {
        mpi::agree(*comm_, [&] {
            check_arrays();
            check_mapping(*comm_, other.mapping().get(), father_->size());
        });
        mapping_ = other.mapping();
        numbering_ = mapping_->numbering;
        fit_son();
    }

    /// Collective. Makes the son's rows as long as those that they are copies of: to be called
    /// again when the father's rows have changed their lengths. Their number must be that of the
    /// mapping.
    void fit_son() {
        clear_persistent_pull();
        clear_persistent_push();
        mpi::agree(*comm_, [&] {
            check_arrays();
            check_mapping(*comm_, mapping_.get(), father_->size());
        });
        if constexpr (is_fixed(Array::kind)) {
            fit_fixed_rows();
        } else {
            fit_other_rows();
        }
    }

    /// Collective. Binds the update of the ghosts from their owners.
    void init_persistent_pull(const exchange::Options& options = {}) {
        mpi::agree(*comm_, [&] { check_movement(); });
        pull_.emplace(movement_->route, comm_->handle(), bound(*father_), bound(*son_), unit(),
                      options);
    }
    /// Not collective, but every rank must start for anybody's wait to return. Throws
    /// exchange::Misuse when already started, or when an array was resized after init.
    void start_persistent_pull() { existing(pull_, "pull").start(bound(*father_), bound(*son_)); }
    /// Whether the pull is over; makes progress. Throws as wait.
    [[nodiscard]] bool test_persistent_pull() { return existing(pull_, "pull").test(); }
    /// Returns when the ghosts have arrived and nobody reads this rank's rows any more. Throws
    /// exchange::Misuse when not started, transport::BrokenExchange when a peer has broken the
    /// exchange or ended.
    void wait_persistent_pull() { existing(pull_, "pull").wait(); }
    /// Not collective.
    void clear_persistent_pull() noexcept { pull_.reset(); }
    /// Collective. One pull, bound and forgotten.
    void pull_once(const exchange::Options& options = {}) {
        init_persistent_pull(options);
        start_persistent_pull();
        wait_persistent_pull();
        clear_persistent_pull();
    }

    /// Collective. Binds the way back: what happens to each owned row with its ghosts, one after
    /// the other in the order of the ranks that hold them, so that sums are the same bit by bit in
    /// every run. Elements other than numbers (see ScalarOf) can only be assigned.
    void init_persistent_push(transport::Operation operation, exchange::Options options = {}) {
        mpi::agree(*comm_, [&] { check_movement(); });
        options.operation = operation;
        push_.emplace(movement_->route.transposed(), comm_->handle(), bound(*son_), bound(*father_),
                      unit(), options);
    }
    /// As for the pull.
    void start_persistent_push() { existing(push_, "push").start(bound(*son_), bound(*father_)); }
    [[nodiscard]] bool test_persistent_push() { return existing(push_, "push").test(); }
    void wait_persistent_push() { existing(push_, "push").wait(); }
    void clear_persistent_push() noexcept { push_.reset(); }
    /// Collective.
    void push_once(transport::Operation operation, const exchange::Options& options = {}) {
        init_persistent_push(operation, options);
        start_persistent_push();
        wait_persistent_push();
        clear_persistent_push();
    }

    [[nodiscard]] const std::shared_ptr<Array>& father() const noexcept { return father_; }
    [[nodiscard]] const std::shared_ptr<Array>& son() const noexcept { return son_; }
    /// The global indices of the father's rows; none before create_global_mapping.
    [[nodiscard]] const std::optional<discovery::Numbering>& numbering() const noexcept {
        return numbering_;
    }
    /// The global index of each row of the son.
    [[nodiscard]] std::span<const std::int64_t> ghosts() const noexcept {
        return mapping_ ? std::span<const std::int64_t>(mapping_->ghosts)
                        : std::span<const std::int64_t>();
    }
    /// None before create_ghost_mapping or borrow_mapping.
    [[nodiscard]] const std::shared_ptr<const GhostMapping>& mapping() const noexcept {
        return mapping_;
    }
    /// Peers, bytes, runs and transports of the bound pull, as a text table.
    [[nodiscard]] std::string explain_pull() const { return existing(pull_, "pull").explain(); }
    [[nodiscard]] std::string explain_push() const { return existing(push_, "push").explain(); }

private:
    void check_arrays() const {
        layout::require(father_ && son_, "there is no father or no son on rank ", comm_->rank(),
                        "; set_father_son comes first");
        layout::require(father_ != son_, "father and son are the same array on rank ",
                        comm_->rank(), "; ghosts need one of their own");
    }
    void check_numbered() const {
        check_arrays();
        check_numbering(*comm_, numbering_ ? &*numbering_ : nullptr, father_->size());
    }
    void check_movement() const {
        check_arrays();
        check_mapping(*comm_, mapping_.get(), father_->size());
        layout::require(movement_.has_value() && son_->size() == std::ssize(mapping_->ghosts),
                        "the son has ", son_->size(), " rows on rank ", comm_->rank(),
                        ", but the mapping has ", mapping_->ghosts.size(),
                        " ghosts; fit_son makes room for them");
    }

    void fit_fixed_rows() {
        const auto ghosts = std::ssize(mapping_->ghosts);
        movement_ = move_rows(*comm_, *mapping_, father_->rows());
        mpi::agree(*comm_, [&] {
            if constexpr (Array::kind == RowKind::static_fixed) {
                son_->resize(ghosts);
            } else {
                son_->resize(ghosts, father_->row_size());
            }
        });
    }
    void fit_other_rows() {
        if constexpr (Array::kind == RowKind::bounded) {
            mpi::agree_on(*comm_, "has rows of at most",
                          {std::to_string(father_->row_size_max()) + " elements"});
        }
        const auto arriving = discovery::arriving_rows(*comm_, mapping_->route, father_->rows());
        mpi::agree(*comm_, [&] {
            if constexpr (Array::kind == RowKind::bounded) {
                son_->resize(arriving.lengths, father_->row_size_max());
            } else {
                son_->resize(arriving.lengths);
            }
        });
        movement_ = {.route = discovery::in_units(*comm_, mapping_->route, arriving,
                                                  father_->rows(), son_->rows())};
    }

    static Bound bound(const Array& array) {
        return {.memory = array.memory(),
                .bytes = static_cast<std::int64_t>(array.data().size_bytes())};
    }
    [[nodiscard]] Unit unit() const {
        return {.bytes = movement_->unit_elements * static_cast<std::int64_t>(sizeof(T)),
                .scalar = ScalarOf<T>::value};
    }
    template <class Maybe>
    static auto& existing(Maybe& exchange, const char* name) {
        if (!exchange) {
            throw std::logic_error("there is no persistent " + std::string(name) +
                                   "; init_persistent_" + name + " comes first");
        }
        return *exchange;
    }

    Communicator comm_;
    std::shared_ptr<Array> father_;
    std::shared_ptr<Array> son_;
    std::optional<discovery::Numbering> numbering_;
    std::shared_ptr<const GhostMapping> mapping_;
    std::optional<Movement> movement_;
    std::optional<PersistentExchange> pull_;
    std::optional<PersistentExchange> push_;
};

}  // namespace transrank::array
