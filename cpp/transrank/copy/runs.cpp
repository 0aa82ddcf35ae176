// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/copy/runs.hpp"

#include <cmath>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <type_traits>

#include "transrank/copy/copy_kernels.hpp"
#include "transrank/copy/run_kernels.hpp"

namespace transrank::copy {
namespace {

struct Add {
    template <class T>
    static T apply(T a, T b) {
        if constexpr (std::is_integral_v<T>) {  // unsigned, which may wrap
            using Unsigned = std::make_unsigned_t<T>;
            return static_cast<T>(static_cast<Unsigned>(a) + static_cast<Unsigned>(b));
        } else {
            return a + b;
        }
    }
};
template <class Stays>
struct Pick {
    template <class T>
    static T apply(T a, T b) {
        const T picked = Stays()(a, b) ? a : b;  // b where either is NaN
        if constexpr (std::is_floating_point_v<T>) {
            return std::isnan(a) ? a : picked;
        }
        return picked;
    }
};

void assign(std::byte* destination, const std::byte* source, std::size_t bytes) {
    std::memcpy(destination, source, bytes);
}

template <class T, class Op>
void combine(std::byte* destination, const std::byte* source, std::size_t bytes) {
    // Through memcpy: rows of a structured array need not be aligned for their scalars.
    for (std::size_t offset = 0; offset + sizeof(T) <= bytes; offset += sizeof(T)) {
        T mine;
        T theirs;
        std::memcpy(&mine, destination + offset, sizeof(T));
        std::memcpy(&theirs, source + offset, sizeof(T));
        mine = Op::apply(mine, theirs);
        std::memcpy(destination + offset, &mine, sizeof(T));
    }
}

template <class Op>
Combine kernel_of(Scalar scalar) {
    static constexpr std::array<Combine, scalars.size()> kernels{nullptr,
                                                                 combine<std::int8_t, Op>,
                                                                 combine<std::int16_t, Op>,
                                                                 combine<std::int32_t, Op>,
                                                                 combine<std::int64_t, Op>,
                                                                 combine<std::uint8_t, Op>,
                                                                 combine<std::uint16_t, Op>,
                                                                 combine<std::uint32_t, Op>,
                                                                 combine<std::uint64_t, Op>,
                                                                 combine<float, Op>,
                                                                 combine<double, Op>};
    const auto kernel = kernels.at(static_cast<std::size_t>(scalar));
    if (kernel == nullptr) {
        throw std::invalid_argument(
            "rows without a numeric scalar type can only be assigned; use the operation assign");
    }
    return kernel;
}

}  // namespace

Combine combine_kernel(Operation operation, Scalar scalar) {
    switch (operation) {
        case Operation::add:
            return kernel_of<Add>(scalar);
        case Operation::min:
            return kernel_of<Pick<std::less_equal<>>>(scalar);
        case Operation::max:
            return kernel_of<Pick<std::greater_equal<>>>(scalar);
        case Operation::assign:
            break;
    }
    return assign;
}

void copy_runs(const ByteRuns& runs, const std::byte* source, std::byte* destination) {
    const std::byte* from = source + runs.source;
    std::byte* to = destination + runs.destination;
    if (const auto copy = runs.count > 1 ? run_copy(runs.length) : nullptr) {
        copy(to, runs.destination_stride, from, runs.source_stride, runs.count);
        return;
    }
    for (std::int64_t i = 0; i < runs.count; ++i) {
        std::memcpy(to + (i * runs.destination_stride), from + (i * runs.source_stride),
                    static_cast<std::size_t>(runs.length));
    }
}

void stream_runs(const ByteRuns& runs, const std::byte* source, std::byte* destination) {
    // Only whole cache lines go past the caches, and a shorter run need not hold one.
    constexpr std::int64_t two_lines = 128;
    static const Copy stream = streaming_copy();
    if (stream == nullptr || runs.length < two_lines) {
        copy_runs(runs, source, destination);
        return;
    }
    for (std::int64_t i = 0; i < runs.count; ++i) {
        stream(destination + runs.destination + (i * runs.destination_stride),
               source + runs.source + (i * runs.source_stride),
               static_cast<std::size_t>(runs.length));
    }
}

void combine_runs(const ByteRuns& runs, const std::byte* source, std::byte* destination,
                  Combine combine) {
    for (std::int64_t i = 0; i < runs.count; ++i) {
        combine(destination + runs.destination + (i * runs.destination_stride),
                source + runs.source + (i * runs.source_stride),
                static_cast<std::size_t>(runs.length));
    }
}

}  // namespace transrank::copy
