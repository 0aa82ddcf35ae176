// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <span>
#include <utility>

namespace transrank::lab::study::baseline {

/// A committed derived datatype, freed on destruction. Requests that use it keep what they need.
class Datatype {
public:
    /// Bytes in blocks: `lengths[i]` bytes at `displacements[i]`, in this order.
    [[nodiscard]] static Datatype of_blocks(std::span<const int> lengths,
                                            std::span<const MPI_Aint> displacements);

    /// `count` blocks of `length` elements each, `stride` elements from one to the next.
    [[nodiscard]] static Datatype of_vector(int count, int length, int stride,
                                            MPI_Datatype element);

    /// `length` elements at each of `displacements`, counted in elements.
    [[nodiscard]] static Datatype of_indexed(int length, std::span<const int> displacements,
                                             MPI_Datatype element);

    /// The first `part` of an array of `sizes` elements in each dimension, the last fastest.
    [[nodiscard]] static Datatype of_subarray(std::span<const int> sizes, std::span<const int> part,
                                              MPI_Datatype element);

    /// `count` elements of a type, `stride_bytes` from one to the next.
    [[nodiscard]] static Datatype repeated(int count, MPI_Aint stride_bytes,
                                           const Datatype& element);

    /// One element of each of `parts`; where they are at absolute addresses, to be used with
    /// MPI_BOTTOM.
    struct Part {
        MPI_Aint displacement;
        MPI_Datatype type;
    };
    [[nodiscard]] static Datatype of_parts(std::span<const Part> parts);

    ~Datatype();
    Datatype(const Datatype&) = delete;
    Datatype& operator=(const Datatype&) = delete;
    Datatype(Datatype&& other) noexcept : type_(std::exchange(other.type_, MPI_DATATYPE_NULL)) {}
    Datatype& operator=(Datatype&& other) noexcept {
        std::swap(type_, other.type_);
        return *this;
    }

    [[nodiscard]] MPI_Datatype handle() const noexcept { return type_; }

private:
    Datatype() = default;
    /// `create` is MPI's function, without its last argument.
    template <class Create, class... Arguments>
    [[nodiscard]] static Datatype made(const char* call, const Create& create,
                                       Arguments... arguments);

    MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

/// Where something lies, counted from MPI_BOTTOM.
[[nodiscard]] MPI_Aint address(const void* place);

}  // namespace transrank::lab::study::baseline
