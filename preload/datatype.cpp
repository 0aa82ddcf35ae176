// SPDX-License-Identifier: BSD-3-Clause
#include "datatype.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <iterator>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <utility>

#if MPI_VERSION >= 4
// An older library of the same binary interface may lack them.
#pragma weak PMPI_Type_get_envelope_c
#pragma weak PMPI_Type_get_contents_c
#endif

namespace transrank::carry {
namespace {

using Pieces = std::vector<route::Segment>;
using Parts = std::vector<const Datatype*>;

void require(bool holds) {
    if (!holds) {
        throw std::runtime_error("a datatype that is not followed");
    }
}

#if MPI_VERSION >= 4
bool has_large_counts() {
    return PMPI_Type_get_envelope_c != nullptr && PMPI_Type_get_contents_c != nullptr;
}
#endif

/// The constructor of a datatype, and how many arguments of each kind it had: no types of one with
/// a name.
struct Envelope {
    MPI_Count integers = 0;
    MPI_Count addresses = 0;
    MPI_Count counts = 0;
    MPI_Count types = 0;
    int combiner = MPI_COMBINER_NAMED;

    explicit Envelope(MPI_Datatype type) {
#if MPI_VERSION >= 4
        if (has_large_counts()) {
            PMPI_Type_get_envelope_c(type, &integers, &addresses, &counts, &types, &combiner);
            return;
        }
#endif
        std::array<int, 3> few{};
        PMPI_Type_get_envelope(type, few.data(), &few[1], &few[2], &combiner);
        integers = few[0];
        addresses = few[1];
        types = few[2];
    }
};

/// How a datatype was made: its constructor, and the arguments of that.
class Made {
public:
    explicit Made(MPI_Datatype type) : envelope_(type) {
        const auto& [integers, addresses, counts, types, combiner] = envelope_;
        integers_.resize(static_cast<std::size_t>(integers));
        addresses_.resize(static_cast<std::size_t>(addresses));
        counts_.resize(static_cast<std::size_t>(counts));
        types_.resize(static_cast<std::size_t>(types), MPI_DATATYPE_NULL);
        if (has_name()) {
            return;
        }
#if MPI_VERSION >= 4
        if (has_large_counts()) {
            PMPI_Type_get_contents_c(type, integers, addresses, counts, types, integers_.data(),
                                     addresses_.data(), counts_.data(), types_.data());
            return;
        }
#endif
        PMPI_Type_get_contents(type, static_cast<int>(integers), static_cast<int>(addresses),
                               static_cast<int>(types), integers_.data(), addresses_.data(),
                               types_.data());
    }
    Made(const Made&) = delete;
    Made& operator=(const Made&) = delete;
    // What it was made of is ours to free, unless that has a name.
    ~Made() {
        for (auto& type : types_) {
            if (Envelope(type).types > 0) {
                PMPI_Type_free(&type);
            }
        }
    }

    [[nodiscard]] int combiner() const { return envelope_.combiner; }
    [[nodiscard]] bool has_name() const { return types_.empty(); }
    [[nodiscard]] Parts parts() const {
        Parts parts;
        std::ranges::transform(types_, std::back_inserter(parts), layout_of);
        require(std::ranges::count(parts, nullptr) == 0);
        return parts;
    }

    /// The next argument of the constructor, among its integers, or its addresses and counts.
    [[nodiscard]] std::int64_t integer() { return integers_.at(integer_++); }
    [[nodiscard]] std::int64_t address() {
        return is_large() ? counts_.at(number_++) : addresses_.at(number_++);
    }
    [[nodiscard]] std::int64_t count() { return is_large() ? address() : integer(); }
    [[nodiscard]] std::vector<std::int64_t> counts(std::int64_t number) {
        std::vector<std::int64_t> all(static_cast<std::size_t>(number));
        std::ranges::generate(all, [&] { return count(); });
        return all;
    }

private:
    [[nodiscard]] bool is_large() const { return !counts_.empty(); }

    Envelope envelope_;
    std::vector<int> integers_;
    std::vector<MPI_Aint> addresses_;
    std::vector<MPI_Count> counts_;    ///< of a large-count constructor: addresses among them
    std::vector<MPI_Datatype> types_;  ///< none of one with a name
    std::size_t integer_ = 0;
    std::size_t number_ = 0;
};

std::int64_t bytes_of(const Pieces& pieces) {
    std::int64_t bytes = 0;
    for (const auto& piece : pieces) {
        bytes += piece.units();
    }
    return bytes;
}

// What goes on where the last piece ends becomes part of it.
void append(Pieces& to, const Pieces& part, std::int64_t offset) {
    constexpr std::size_t most = 1U << 14U;
    require(to.size() + part.size() <= most);
    for (auto piece : part) {
        piece.source += offset;
        if (!to.empty() && to.back().count == 1 && piece.count == 1 &&
            to.back().source + to.back().length == piece.source) {
            to.back().length += piece.length;
        } else {
            to.push_back(std::move(piece));
        }
    }
}

Pieces repeated(const Pieces& part, std::int64_t count, std::int64_t stride) {
    Pieces all;
    if (count > 0 && part.size() == 1) {
        all = part;
        all[0].repeat({count, stride, bytes_of(part)});
        return all;
    }
    for (std::int64_t i = 0; i < count && !part.empty(); ++i) {
        append(all, part, i * stride);
    }
    return all;
}

Pieces vector(Made& made, const Datatype& part) {
    const auto count = made.count();
    const auto length = made.count();
    const auto stride =
        made.combiner() == MPI_COMBINER_HVECTOR ? made.address() : made.count() * part.extent;
    return repeated(repeated(part.pieces, length, part.extent), count, stride);
}

Pieces subarray(Made& made, const Datatype& part) {
    const auto dimensions = made.integer();
    const auto sizes = made.counts(dimensions);
    const auto lengths = made.counts(dimensions);
    const auto starts = made.counts(dimensions);
    const bool is_c = made.integer() == MPI_ORDER_C;
    auto pieces = part.pieces;
    auto stride = part.extent;
    std::int64_t offset = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        const auto at = is_c ? sizes.size() - 1 - i : i;
        pieces = repeated(pieces, lengths[at], stride);
        offset += starts[at] * stride;
        stride *= sizes[at];
    }
    Pieces placed;
    append(placed, pieces, offset);
    return placed;
}

// Blocks of own lengths, or of one for all; a structure has a type for each.
Pieces blocks(Made& made, const Parts& parts) {
    const auto combiner = made.combiner();
    const bool is_structure = combiner == MPI_COMBINER_STRUCT;
    const bool one_length =
        combiner == MPI_COMBINER_INDEXED_BLOCK || combiner == MPI_COMBINER_HINDEXED_BLOCK;
    const bool in_bytes = is_structure || combiner == MPI_COMBINER_HINDEXED ||
                          combiner == MPI_COMBINER_HINDEXED_BLOCK;
    const auto count = made.count();
    const auto lengths = one_length ? std::vector(static_cast<std::size_t>(count), made.count())
                                    : made.counts(count);
    Pieces pieces;
    for (std::size_t i = 0; i < lengths.size(); ++i) {
        const auto& part = *parts[is_structure ? i : 0];
        const auto place = in_bytes ? made.address() : made.count() * part.extent;
        append(pieces, repeated(part.pieces, lengths[i], part.extent), place);
    }
    return pieces;
}

Pieces pieces_of(Made& made, const Parts& parts) {
    const auto& part = *parts[0];
    switch (made.combiner()) {
        case MPI_COMBINER_DUP:
        case MPI_COMBINER_RESIZED:
            return part.pieces;
        case MPI_COMBINER_CONTIGUOUS:
            return repeated(part.pieces, made.count(), part.extent);
        case MPI_COMBINER_VECTOR:
        case MPI_COMBINER_HVECTOR:
            return vector(made, part);
        case MPI_COMBINER_INDEXED:
        case MPI_COMBINER_HINDEXED:
        case MPI_COMBINER_INDEXED_BLOCK:
        case MPI_COMBINER_HINDEXED_BLOCK:
        case MPI_COMBINER_STRUCT:
            return blocks(made, parts);
        case MPI_COMBINER_SUBARRAY:
            return subarray(made, part);
        default:
            throw std::runtime_error("a datatype that is not followed");
    }
}

Datatype decoded(MPI_Datatype type) {
    Made made(type);
    MPI_Count bytes = 0;
    MPI_Count true_extent = 0;
    MPI_Count lower = 0;
    MPI_Count extent = 0;
    require(PMPI_Type_size_x(type, &bytes) == 0 && bytes >= 0 &&
            PMPI_Type_get_true_extent_x(type, &lower, &true_extent) == 0 &&
            PMPI_Type_get_extent_x(type, &lower, &extent) == 0);
    Datatype found{.pieces = {{.length = bytes}}, .bytes = bytes, .extent = extent};
    if (made.has_name()) {
        require(bytes == true_extent);  // there are pairs with a gap
    } else {
        found.pieces = pieces_of(made, made.parts());
        require(bytes_of(found.pieces) == bytes);
    }
    std::erase_if(found.pieces, [](const auto& piece) { return piece.units() == 0; });
    return found;
}

extern "C" int transrank_forget_layout(MPI_Datatype /*type*/, int /*key*/, void* value,
                                       void* /*extra*/) {
    delete static_cast<Datatype*>(value);
    return MPI_SUCCESS;
}

}  // namespace

const Datatype* layout_of(MPI_Datatype type) {
    static const int key = [] {
        int made = MPI_KEYVAL_INVALID;
        PMPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, transrank_forget_layout, &made, nullptr);
        return made;
    }();
    void* value = nullptr;
    int found = 0;
    if (type == MPI_DATATYPE_NULL || PMPI_Type_get_attr(type, key, &value, &found) != 0) {
        return nullptr;
    }
    // Of two threads that come at once the second one finds what the first has made.
    static std::recursive_mutex mutex;
    const auto lock =
        found == 0 ? std::unique_lock(mutex) : std::unique_lock<std::recursive_mutex>();
    if (found == 0 && PMPI_Type_get_attr(type, key, &value, &found) == 0 && found == 0) {
        std::unique_ptr<Datatype> layout;
        try {
            layout = std::make_unique<Datatype>(decoded(type));
        } catch (const std::exception&) {  // not followed: nullptr, also from now on
        }
        if (PMPI_Type_set_attr(type, key, layout.get()) != 0) {
            return nullptr;
        }
        value = layout.release();  // MPI holds it now
    }
    return static_cast<const Datatype*>(value);
}

}  // namespace transrank::carry
