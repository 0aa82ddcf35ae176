// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace transrank::array {

/// In place of a row length: one for all rows, chosen at run time.
inline constexpr std::int64_t dynamic_size = -1;
/// In place of a row length: another one for each row.
inline constexpr std::int64_t non_uniform_size = -2;

/// The kind of rows of an array `<T, rs, rm, al>`.
enum class RowKind : std::uint8_t {
    static_fixed,    ///< rs elements
    fixed,           ///< as many as is said at run time
    static_bounded,  ///< at most rm elements, for which there is room in every row
    bounded,         ///< the same with a bound chosen at run time
    variable,        ///< any number, one row behind the other (CSR)
    unknown,
};

/// The kind of rows of length `rs`, of at most `rm` elements.
[[nodiscard]] constexpr RowKind row_kind(std::int64_t rs, std::int64_t rm) noexcept {
    if (rs >= 0) {
        return rm == rs ? RowKind::static_fixed : RowKind::unknown;
    }
    if (rs == dynamic_size) {
        return rm == dynamic_size ? RowKind::fixed : RowKind::unknown;
    }
    if (rs != non_uniform_size || rm < non_uniform_size) {
        return RowKind::unknown;
    }
    if (rm >= 0) {
        return RowKind::static_bounded;
    }
    return rm == dynamic_size ? RowKind::bounded : RowKind::variable;
}

/// Whether all rows have one length.
[[nodiscard]] constexpr bool is_fixed(RowKind kind) noexcept {
    return kind == RowKind::static_fixed || kind == RowKind::fixed;
}

}  // namespace transrank::array
