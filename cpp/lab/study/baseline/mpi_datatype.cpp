// SPDX-License-Identifier: BSD-3-Clause
#include "lab/study/baseline/mpi_datatype.hpp"

#include <vector>

#include "transrank/mpi/error.hpp"
#include "transrank/mpi/lifetime.hpp"

namespace transrank::lab::study::baseline {

template <class Create, class... Arguments>
Datatype Datatype::made(const char* call, const Create& create, Arguments... arguments) {
    Datatype type;
    mpi::check(create(arguments..., &type.type_), call);
    mpi::check(MPI_Type_commit(&type.type_), "MPI_Type_commit");
    return type;
}

Datatype Datatype::of_blocks(std::span<const int> lengths,
                             std::span<const MPI_Aint> displacements) {
    return made("MPI_Type_create_hindexed", MPI_Type_create_hindexed,
                static_cast<int>(lengths.size()), lengths.data(), displacements.data(), MPI_BYTE);
}

Datatype Datatype::of_vector(int count, int length, int stride, MPI_Datatype element) {
    return made("MPI_Type_vector", MPI_Type_vector, count, length, stride, element);
}

Datatype Datatype::repeated(int count, MPI_Aint stride_bytes, const Datatype& element) {
    return made("MPI_Type_create_hvector", MPI_Type_create_hvector, count, 1, stride_bytes,
                element.handle());
}

Datatype Datatype::of_indexed(int length, std::span<const int> displacements,
                              MPI_Datatype element) {
    const std::vector<int> lengths(displacements.size(), length);
    return made("MPI_Type_indexed", MPI_Type_indexed, static_cast<int>(lengths.size()),
                lengths.data(), displacements.data(), element);
}

Datatype Datatype::of_subarray(std::span<const int> sizes, std::span<const int> part,
                               MPI_Datatype element) {
    const std::vector<int> starts(sizes.size(), 0);
    return made("MPI_Type_create_subarray", MPI_Type_create_subarray,
                static_cast<int>(sizes.size()), sizes.data(), part.data(), starts.data(),
                MPI_ORDER_C, element);
}

Datatype Datatype::of_parts(std::span<const Part> parts) {
    const std::vector<int> ones(parts.size(), 1);
    std::vector<MPI_Aint> displacements;
    std::vector<MPI_Datatype> types;
    for (const auto& part : parts) {
        displacements.push_back(part.displacement);
        types.push_back(part.type);
    }
    return made("MPI_Type_create_struct", MPI_Type_create_struct, static_cast<int>(parts.size()),
                ones.data(), displacements.data(), types.data());
}

Datatype::~Datatype() {
    if (type_ != MPI_DATATYPE_NULL && mpi::is_usable()) {
        MPI_Type_free(&type_);
    }
}

MPI_Aint address(const void* place) {
    MPI_Aint found = 0;
    mpi::check(MPI_Get_address(place, &found), "MPI_Get_address");
    return found;
}

}  // namespace transrank::lab::study::baseline
