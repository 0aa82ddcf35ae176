// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>

#include "c/handles.hpp"
#include "transrank/layout/require.hpp"

namespace transrank::c {

/// A result for which the caller may have no place.
template <class T>
void tell(T* place, std::type_identity_t<T> value) {
    if (place != nullptr) {
        *place = value;
    }
}

[[nodiscard]] int rank_of(MPI_Comm comm);
[[nodiscard]] int ranks_of(MPI_Comm comm);

/// Looks at what a caller passes; throws std::invalid_argument, which names the rank if it is
/// known.
class Arguments {
public:
    Arguments() = default;
    /// In a collective call: throws what transrank_refuse was given.
    explicit Arguments(int rank);

    [[nodiscard]] const std::string& where() const noexcept { return where_; }

    /// What lies behind a handle that must be there.
    template <class Public>
    [[nodiscard]] typename Behind<Public>::Object& object(const Public* given) const {
        auto* const object = object_of(given);
        if (object == nullptr) {
            refuse_handle(Behind<Public>::kind, given);
        }
        return *object;
    }

    /// The same, kept for as long as it is needed.
    template <class Public>
    [[nodiscard]] std::shared_ptr<typename Behind<Public>::Object> shared(
        const Public* given) const {
        (void)object(given);
        return std::static_pointer_cast<typename Behind<Public>::Object>(find(given)->object);
    }

    /// A place for a result or a string.
    template <class T>
    [[nodiscard]] T* pointer(T* given, const char* name) const {
        layout::require(given != nullptr, name, where_, " is NULL; give the address of one");
        return given;
    }

    template <class T>
    [[nodiscard]] std::span<const T> list(std::int64_t count, const T* given,
                                          const char* name) const {
        layout::require(count >= 0, name, where_, ": ", count, " of them; give 0 or more");
        layout::require(count == 0 || given != nullptr, name, where_, " are NULL, but ", count,
                        " are to be read there");
        return {given, static_cast<std::size_t>(count)};
    }

    /// One of the constants 0 to `last`.
    template <class Enum>
    [[nodiscard]] Enum choice(int given, Enum last, const char* name) const {
        layout::require(given >= 0 && given <= static_cast<int>(last), "unknown ", name, " ", given,
                        where_, "; known: 0 to ", static_cast<int>(last), ", see transrank.h");
        return static_cast<Enum>(given);
    }

private:
    /// Throws: there is nothing of kind `wanted` behind the handle.
    [[noreturn]] void refuse_handle(Kind wanted, const void* given) const;

    std::string where_;
};

/// Throws std::invalid_argument unless there is such an operation.
void check_options(const Arguments& arguments, const transrank_options* given);

/// An operation that there is not becomes assign: options are needed before ranks can agree.
[[nodiscard]] exchange::Options options_of(const transrank_options* given);

}  // namespace transrank::c
