// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/array/ghost_update.hpp"

#include <cstddef>
#include <utility>

#include "c/calls.hpp"
#include "transrank/memory/array_memory.hpp"

using namespace transrank;
using c::Arguments;
using layout::require;
using layout::Rows;

namespace transrank::c {

/// Rows of the caller's, and ghosts in memory that it takes itself.
class GhostUpdate final : public array::GhostUpdate {
public:
    /// Collective.
    GhostUpdate(MPI_Comm comm, std::shared_ptr<array::RowArray> owned)
        : array::GhostUpdate(comm),
          owned_(std::move(owned)),
          ghost_rows_(
              std::make_shared<array::RowArray>(owned_->element_bytes(), owned_->scalar())) {
        set_father_son(owned_, ghost_rows_);
    }

    void fit_son() override {
        const auto lengths = begin_fit();
        together("transrank_ghost_update", [&](const mpi::Communicator& comm) {
            mpi::agree(comm, [&] { make_room(lengths); });
        });
        end_fit(ghost_rows_);
    }

    [[nodiscard]] std::span<std::byte> ghost_bytes() const noexcept { return ghost_rows_->bytes(); }
    /// Where the elements of each ghost begin, and where the last one's end.
    [[nodiscard]] std::span<const std::int64_t> offsets() const noexcept { return offsets_; }

private:
    void make_room(const std::vector<std::int64_t>& lengths) {
        const auto& owned = owned_->rows();
        auto rows = owned.is_fixed() ? Rows::fixed(std::ssize(ghosts()), owned.pitch())
                                     : Rows::variable(lengths);
        std::int64_t bytes = 0;
        require(!__builtin_mul_overflow(rows.units(), owned_->element_bytes(), &bytes), rows.rows(),
                " ghosts have more bytes than 64 bits can count");
        offsets_.clear();
        for (std::int64_t row = 0; row < rows.rows(); ++row) {
            offsets_.push_back(rows.begin(row));
        }
        offsets_.push_back(rows.units());
        auto memory = std::make_shared<memory::ArrayMemory>(static_cast<std::size_t>(bytes));
        const auto place = memory->bytes().first(static_cast<std::size_t>(bytes));
        ghost_rows_->adopt(std::move(rows), place, std::move(memory), owned_->description());
    }

    std::shared_ptr<array::RowArray> owned_;
    std::shared_ptr<array::RowArray> ghost_rows_;
    std::vector<std::int64_t> offsets_;
};

}  // namespace transrank::c

namespace {

using Owned = std::shared_ptr<array::RowArray>;

Rows rows_of(const Arguments& arguments, const transrank_rows& given) {
    require(given.count >= 0, given.count, " rows are owned", arguments.where(),
            "; give 0 or more");
    if (given.offsets == nullptr) {
        return Rows::fixed(given.count, given.length);
    }
    const auto offsets = arguments.list(given.count + 1, given.offsets, "the offsets");
    return Rows::from_offsets({offsets.begin(), offsets.end()});
}

Owned owned_rows(const Arguments& arguments, const transrank_rows* given) {
    const auto& it = *arguments.pointer(given, "the owned rows");
    auto rows = rows_of(arguments, it);
    require(it.element_bytes >= 1, "elements of ", it.element_bytes, " bytes", arguments.where(),
            "; give 1 or more");
    std::int64_t needed = 0;
    require(
        !__builtin_mul_overflow(rows.units(), it.element_bytes, &needed) && needed <= it.data_bytes,
        rows.rows(), " rows of ", rows.units(), " elements of ", it.element_bytes,
        " bytes do not fit in ", it.data_bytes, " bytes", arguments.where());
    const auto data = arguments.list(needed, static_cast<std::byte*>(it.data), "the rows");
    const auto scalar = arguments.choice(it.scalar, copy::Scalar::float64, "scalar");
    auto owned = std::make_shared<array::RowArray>(it.element_bytes, scalar);
    auto what = it.offsets == nullptr ? std::to_string(it.length) + " elements" : "any length";
    owned->adopt(std::move(rows), {static_cast<std::byte*>(it.data), data.size()},
                 c::owner_of(it.data), std::move(what));
    return owned;
}

/// Collective. `check` returns what makes the mapping of the update.
template <class Check>
int create_update(const char* call, MPI_Comm comm, const transrank_rows* rows,
                  transrank_ghost_update** update, const Check& check) noexcept {
    return c::create_agreed(call, comm, update, [&](const Arguments& arguments) {
        return [comm, owned = owned_rows(arguments, rows), map = check(arguments)] {
            c::GhostUpdate made(comm, owned);
            map(made);
            return made;
        };
    });
}

}  // namespace

int transrank_ghost_update_pull(MPI_Comm comm, const transrank_rows* rows, int64_t count,
                                const int64_t* ghosts, transrank_ghost_update** update) {
    return create_update(__func__, comm, rows, update, [&](const Arguments& arguments) {
        return [wanted = arguments.list(count, ghosts, "the ghosts")](c::GhostUpdate& made) {
            made.create_global_mapping();
            made.create_ghost_mapping(wanted);
        };
    });
}

int transrank_ghost_update_push(MPI_Comm comm, const transrank_rows* rows, int64_t count,
                                const int64_t* pushed, const int* targets,
                                transrank_ghost_update** update) {
    return create_update(__func__, comm, rows, update, [&](const Arguments& arguments) {
        return [own = arguments.list(count, pushed, "the pushed rows"),
                to = arguments.list(count, targets, "the targets")](c::GhostUpdate& made) {
            made.create_global_mapping();
            made.create_ghost_mapping(own, to);
        };
    });
}

int transrank_ghost_update_along(MPI_Comm comm, const transrank_rows* rows,
                                 const transrank_route* route, transrank_ghost_update** update) {
    return create_update(__func__, comm, rows, update, [&](const Arguments& arguments) {
        return [given = arguments.object(route).value](c::GhostUpdate& made) {
            made.create_global_mapping();
            made.use_route(*given);
        };
    });
}

int transrank_ghost_update_like(MPI_Comm comm, const transrank_rows* rows,
                                const transrank_ghost_update* other,
                                transrank_ghost_update** update) {
    return create_update(__func__, comm, rows, update, [&](const Arguments& arguments) {
        return [given = arguments.shared(other)](c::GhostUpdate& made) {
            made.borrow_mapping(*given);
        };
    });
}

int transrank_ghost_update_ghosts(const transrank_ghost_update* update, int64_t* count,
                                  const int64_t** indices, const int64_t** offsets, void** data) {
    return c::attempt([&] {
        const auto& object = Arguments().object(update);
        c::tell(count, std::ssize(object.ghosts()));
        c::tell(indices, object.ghosts().data());
        c::tell(offsets, object.offsets().data());
        c::tell(data, object.ghost_bytes().data());
    });
}

int transrank_ghost_update_bind(MPI_Comm comm, const transrank_ghost_update* update, int direction,
                                const transrank_options* options, transrank_exchange** exchange) {
    return c::create_agreed(__func__, comm, exchange, [&](const Arguments& arguments) {
        c::check_options(arguments, options);
        require(options == nullptr || (options->any_memory == 0 && options->sets <= 1),
                "other arrays are to be given", arguments.where(),
                "; a ghost update moves its own");
        layout::require(direction == TRANSRANK_PULL || direction == TRANSRANK_PUSH,
                        "unknown direction ", direction, arguments.where(),
                        "; known: 0 to 1, see transrank.h");
        auto given = arguments.shared(update);
        require(given->is_of(comm), "the ghost update", arguments.where(),
                " is of another communicator; bind it over that one");
        return [=, given = std::move(given), chosen = c::options_of(options)] {
            return c::Exchange{direction == TRANSRANK_PULL
                                   ? given->bind_pull(chosen)
                                   : given->bind_push(chosen.operation, chosen)};
        };
    });
}
