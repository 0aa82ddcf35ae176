// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "transrank/array/ghost_update.hpp"
#include "transrank/array/par_array.hpp"
#include "transrank/mpi/agreement.hpp"

namespace transrank::array {

/// Keeps copies of other ranks' rows up to date. `father` holds the rows that this rank owns. `son`
/// holds its ghosts: copies of rows that other ranks (or this one) own. These names come from a
/// published benchmark, as do rs (row length), rm (longest row) and al (alignment) of ParArray.
///
///     ArrayTransformer<double, 5> transformer(MPI_COMM_WORLD);
///     transformer.set_father_son(father, son);
///     transformer.create_global_mapping();
///     transformer.create_ghost_mapping(global_rows_wanted);
///     auto& pull = transformer.init_persistent_pull();
///     for (...) {
///         pull.start();                    // or transformer.start_persistent_pull()
///         ...                              // compute what needs no ghosts
///         pull.wait();
///     }
///
/// All other methods are inherited from GhostUpdate, and described there.
template <class T, std::int64_t rs = 1, std::int64_t rm = rs, std::int64_t al = 1>
class ArrayTransformer final : public GhostUpdate {
public:
    using Array = ParArray<T, rs, rm, al>;
    using GhostUpdate::GhostUpdate;

    /// Not collective. Sets the array of owned rows (`father`) and the array of ghosts (`son`), and
    /// discards all mappings. Rows may still be added to the `father`; creating a ghost mapping
    /// resizes the `son`. Throws nothing.
    void set_father_son(std::shared_ptr<Array> father, std::shared_ptr<Array> son) {
        GhostUpdate::set_father_son(father, son);
        father_ = std::move(father);
        son_ = std::move(son);
    }

    [[nodiscard]] const std::shared_ptr<Array>& father() const noexcept { return father_; }
    [[nodiscard]] const std::shared_ptr<Array>& son() const noexcept { return son_; }

    void fit_son() override {
        const auto lengths = begin_fit();
        together("ArrayTransformer.fit_son", [&](const mpi::Communicator& comm) {
            mpi::agree(comm, [&] { resize_son(lengths); });
        });
        end_fit(son_);
    }

private:
    void resize_son(const std::vector<std::int64_t>& lengths) {
        const auto rows = std::ssize(ghosts());
        if constexpr (Array::kind == RowKind::static_fixed) {
            son_->resize(rows);
        } else if constexpr (Array::kind == RowKind::fixed) {
            son_->resize(rows, father_->row_size());
        } else if constexpr (Array::kind == RowKind::bounded) {
            son_->resize(lengths, father_->row_size_max());
        } else {
            son_->resize(lengths);
        }
    }

    std::shared_ptr<Array> father_;
    std::shared_ptr<Array> son_;
};

}  // namespace transrank::array
