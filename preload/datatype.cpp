// SPDX-License-Identifier: BSD-3-Clause
#include "datatype.hpp"

#include <algorithm>
#include <dlfcn.h>
#include <optional>
#include <unordered_map>
#include <utility>

namespace transrank::carry {
namespace {

using Pieces = std::vector<Piece>;
using Layout = std::shared_ptr<const Datatype>;
constexpr std::size_t most_pieces = 1U << 14U;

/// How a datatype was made: its constructor, and the arguments of that.
struct Contents {
    int combiner = MPI_COMBINER_NAMED;
    std::vector<int> integers;
    std::vector<std::int64_t> numbers;  ///< addresses; or all that a large-count constructor counts
    std::vector<MPI_Datatype> types;
    bool is_large = false;
};

template <class Aint, class Found>
std::vector<std::int64_t> as_numbers(const std::vector<Aint>& given, Found count) {
    return {given.begin(), given.begin() + static_cast<std::ptrdiff_t>(count)};
}

#if MPI_VERSION >= 4
// An older library of the same binary interface may lack them.
template <class Function>
Function* find(const char* name) {
    return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

std::optional<Contents> large_contents_of(MPI_Datatype type) {
    static auto* const envelope =
        find<decltype(PMPI_Type_get_envelope_c)>("PMPI_Type_get_envelope_c");
    static auto* const contents =
        find<decltype(PMPI_Type_get_contents_c)>("PMPI_Type_get_contents_c");
    std::array<MPI_Count, 4> sizes{};
    Contents found;
    if (envelope == nullptr || contents == nullptr ||
        envelope(type, sizes.data(), &sizes[1], &sizes[2], &sizes[3], &found.combiner) != 0 ||
        sizes[2] == 0) {
        return std::nullopt;
    }
    std::vector<MPI_Aint> addresses(static_cast<std::size_t>(sizes[1]) + 1);
    std::vector<MPI_Count> counts(static_cast<std::size_t>(sizes[2]));
    found.integers.resize(static_cast<std::size_t>(sizes[0]) + 1);
    found.types.resize(static_cast<std::size_t>(sizes[3]) + 1, MPI_DATATYPE_NULL);
    if (contents(type, sizes[0], sizes[1], sizes[2], sizes[3], found.integers.data(),
                 addresses.data(), counts.data(), found.types.data()) != 0) {
        return std::nullopt;
    }
    found.types.pop_back();
    found.numbers = as_numbers(counts, sizes[2]);
    found.is_large = true;
    return found;
}
#else
std::optional<Contents> large_contents_of(MPI_Datatype /*type*/) {
    return std::nullopt;
}
#endif

std::optional<Contents> contents_of(MPI_Datatype type) {
    if (auto large = large_contents_of(type)) {
        return large;
    }
    Contents found;
    std::array<int, 3> sizes{};
    if (PMPI_Type_get_envelope(type, sizes.data(), &sizes[1], &sizes[2], &found.combiner) != 0) {
        return std::nullopt;
    }
    if (sizes[2] == 0) {  // named, or as good as that
        return found;
    }
    std::vector<MPI_Aint> addresses(static_cast<std::size_t>(sizes[1]) + 1);
    found.integers.resize(static_cast<std::size_t>(sizes[0]) + 1);
    found.types.resize(static_cast<std::size_t>(sizes[2]), MPI_DATATYPE_NULL);
    if (PMPI_Type_get_contents(type, sizes[0], sizes[1], sizes[2], found.integers.data(),
                               addresses.data(), found.types.data()) != 0) {
        return std::nullopt;
    }
    found.numbers = as_numbers(addresses, sizes[1]);
    return found;
}

/// Reads the arguments of a constructor in their order.
class Reader {
public:
    explicit Reader(const Contents& contents)
        : contents_(contents),
          next_number_(contents.numbers.begin()),
          next_integer_(contents.integers.begin()) {}
    [[nodiscard]] std::int64_t integer() { return *next_integer_++; }
    [[nodiscard]] std::int64_t number() { return *next_number_++; }
    [[nodiscard]] std::int64_t count() { return contents_.is_large ? number() : integer(); }
    [[nodiscard]] std::vector<std::int64_t> counts(std::int64_t length) {
        std::vector<std::int64_t> all(static_cast<std::size_t>(length));
        std::ranges::generate(all, [&] { return count(); });
        return all;
    }

private:
    const Contents& contents_;
    std::vector<std::int64_t>::const_iterator next_number_;
    std::vector<int>::const_iterator next_integer_;
};

/// Builds the pieces of a datatype; `fits` turns false where they are too many.
class Builder {
public:
    void add(const Datatype& part, std::int64_t offset, std::int64_t count, std::int64_t stride) {
        append(repeated(part.pieces, count, stride), offset);
    }
    void append(const Pieces& part, std::int64_t offset) {
        fits &= pieces.size() + part.size() <= most_pieces;
        for (auto piece : fits ? part : Pieces{}) {
            piece.offset += offset;
            auto* const last = pieces.empty() ? nullptr : &pieces.back();
            if (last != nullptr && last->depth == 0 && piece.depth == 0 &&
                last->offset + last->length == piece.offset) {
                last->length += piece.length;
            } else {
                pieces.push_back(piece);
            }
        }
    }
    Pieces repeated(const Pieces& part, std::int64_t count, std::int64_t stride) {
        if (count <= 0 || part.empty()) {
            fits &= count >= 0;
            return {};
        }
        if (part.size() == 1) {
            auto piece = part.front();
            fits &= piece.repeat(count, stride);
            return {piece};
        }
        Pieces all;
        fits &= count <= static_cast<std::int64_t>(most_pieces / part.size());
        for (std::int64_t i = 0; fits && i < count; ++i) {
            for (auto piece : part) {
                piece.offset += i * stride;
                all.push_back(piece);
            }
        }
        return all;
    }

    Pieces pieces;
    bool fits = true;
};

void add_subarray(Builder& to, const Contents& contents, const Datatype& part) {
    Reader in(contents);
    const auto dimensions = in.integer();
    const auto sizes = in.counts(dimensions);
    const auto lengths = in.counts(dimensions);
    const auto starts = in.counts(dimensions);
    const bool is_c = in.integer() == MPI_ORDER_C;
    auto pieces = part.pieces;
    auto stride = part.extent;
    std::int64_t offset = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        const auto at = is_c ? sizes.size() - 1 - i : i;
        pieces = to.repeated(pieces, lengths[at], stride);
        offset += starts[at] * stride;
        stride *= sizes[at];
    }
    to.append(pieces, offset);
}

void add_vector(Builder& to, const Contents& contents, const Datatype& part, bool in_bytes) {
    Reader in(contents);
    const auto count = in.count();
    const auto length = in.count();
    const auto stride = in_bytes ? in.number() : in.count() * part.extent;
    to.append(to.repeated(to.repeated(part.pieces, length, part.extent), count, stride), 0);
}

// Blocks of own lengths, or of one for all; a structure has a type for each.
void add_blocks(Builder& to, const Contents& contents, const std::vector<Layout>& parts) {
    const auto combiner = contents.combiner;
    const bool is_structure = combiner == MPI_COMBINER_STRUCT;
    const bool one_length =
        combiner == MPI_COMBINER_INDEXED_BLOCK || combiner == MPI_COMBINER_HINDEXED_BLOCK;
    const bool in_bytes = is_structure || combiner == MPI_COMBINER_HINDEXED ||
                          combiner == MPI_COMBINER_HINDEXED_BLOCK;
    Reader in(contents);
    const auto count = in.count();
    const auto lengths =
        one_length ? std::vector(static_cast<std::size_t>(count), in.count()) : in.counts(count);
    for (std::size_t i = 0; i < lengths.size() && to.fits; ++i) {
        const auto& part = *parts[is_structure ? i : 0];
        const auto place = in_bytes ? in.number() : in.count() * part.extent;
        to.add(part, place, lengths[i], part.extent);
    }
}

bool build(Builder& to, const Contents& contents, const std::vector<Layout>& parts) {
    switch (contents.combiner) {
        case MPI_COMBINER_DUP:
        case MPI_COMBINER_RESIZED:
            to.append(parts[0]->pieces, 0);
            return true;
        case MPI_COMBINER_CONTIGUOUS:
            to.add(*parts[0], 0, Reader(contents).count(), parts[0]->extent);
            return true;
        case MPI_COMBINER_VECTOR:
        case MPI_COMBINER_HVECTOR:
            add_vector(to, contents, *parts[0], contents.combiner == MPI_COMBINER_HVECTOR);
            return true;
        case MPI_COMBINER_INDEXED:
        case MPI_COMBINER_HINDEXED:
        case MPI_COMBINER_INDEXED_BLOCK:
        case MPI_COMBINER_HINDEXED_BLOCK:
        case MPI_COMBINER_STRUCT:
            add_blocks(to, contents, parts);
            return true;
        case MPI_COMBINER_SUBARRAY:
            add_subarray(to, contents, *parts[0]);
            return true;
        default:
            return false;
    }
}

bool is_named(const std::optional<Contents>& contents) {
    return contents && contents->types.empty();
}

Layout decode(MPI_Datatype type, const std::optional<Contents>& contents);

// What the contents of a datatype were made of is ours to free, unless it has a name.
std::vector<Layout> parts_of(const Contents& contents) {
    std::vector<Layout> parts;
    for (auto type : contents.types) {
        const auto inner = contents_of(type);
        parts.push_back(decode(type, inner));
        if (inner && !is_named(inner)) {
            PMPI_Type_free(&type);
        }
    }
    return parts;
}

Layout decode(MPI_Datatype type, const std::optional<Contents>& contents) {
    MPI_Count bytes = 0;
    MPI_Count true_extent = 0;
    MPI_Count lower = 0;
    MPI_Count extent = 0;
    if (!contents || PMPI_Type_size_x(type, &bytes) != 0 || bytes < 0 ||
        PMPI_Type_get_true_extent_x(type, &lower, &true_extent) != 0 ||
        PMPI_Type_get_extent_x(type, &lower, &extent) != 0) {
        return nullptr;
    }
    Builder builder;
    if (is_named(contents)) {  // those with a gap in them, for pairs, are left alone
        builder.fits = bytes == true_extent;
        builder.pieces = {{.length = bytes}};
    } else {
        const auto parts = parts_of(*contents);
        if (!std::ranges::all_of(parts, [](const auto& part) { return part != nullptr; }) ||
            !build(builder, *contents, parts)) {
            return nullptr;
        }
    }
    std::int64_t found = 0;
    for (const auto& piece : builder.pieces) {
        found += piece.bytes();
    }
    if (!builder.fits || found != bytes) {
        return nullptr;
    }
    std::erase_if(builder.pieces, [](const Piece& piece) { return piece.bytes() == 0; });
    return std::make_shared<const Datatype>(
        Datatype{.pieces = std::move(builder.pieces), .bytes = bytes, .extent = extent});
}

extern "C" int transrank_forget_layout(MPI_Datatype /*type*/, int /*key*/, void* value,
                                       void* /*extra*/) {
    delete static_cast<Layout*>(value);
    return MPI_SUCCESS;
}

int key() {
    static const int made = [] {
        int key = MPI_KEYVAL_INVALID;
        PMPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, transrank_forget_layout, &key, nullptr);
        return key;
    }();
    return made;
}

}  // namespace

bool Piece::repeat(std::int64_t count, std::int64_t stride) {
    if (count == 1) {
        return true;
    }
    if (depth == 0 && stride == length) {
        length *= count;
        return true;
    }
    auto* const last = depth == 0 ? nullptr : &loops[depth - 1];
    if (last != nullptr && stride == last->stride * last->count) {
        last->count *= count;
        return true;
    }
    if (depth == most_loops) {
        return false;
    }
    loops[depth++] = {.count = count, .stride = stride};
    return true;
}

std::int64_t Piece::bytes() const {
    auto bytes = length;
    for (std::size_t i = 0; i < depth; ++i) {
        bytes *= loops[i].count;
    }
    return bytes;
}

std::shared_ptr<const Datatype> layout_of(MPI_Datatype type) {
    // Those with names are never freed.
    thread_local std::unordered_map<MPI_Datatype, Layout> named;
    if (const auto known = named.find(type); known != named.end()) {
        return known->second;
    }
    void* value = nullptr;
    int found = 0;
    if (type == MPI_DATATYPE_NULL || PMPI_Type_get_attr(type, key(), &value, &found) != 0) {
        return nullptr;
    }
    if (found != 0) {
        return *static_cast<Layout*>(value);
    }
    const auto contents = contents_of(type);
    auto layout = std::make_unique<Layout>(decode(type, contents));
    if (is_named(contents)) {
        return named[type] = *layout;
    }
    auto kept = *layout;
    if (PMPI_Type_set_attr(type, key(), layout.get()) == 0) {
        (void)layout.release();  // MPI holds it now
    }
    return kept;
}

}  // namespace transrank::carry
