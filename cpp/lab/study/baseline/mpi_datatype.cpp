// SPDX-License-Identifier: BSD-3-Clause
#include "lab/study/baseline/mpi_datatype.hpp"

#include <vector>

#include "transrank/mpi/error.hpp"
#include "transrank/mpi/lifetime.hpp"

namespace transrank::lab::study::baseline {

Datatype Datatype::of_blocks(std::span<const int> lengths,
                             std::span<const MPI_Aint> displacements) {
    Datatype made;
    mpi::check(MPI_Type_create_hindexed(static_cast<int>(lengths.size()), lengths.data(),
                                        displacements.data(), MPI_BYTE, &made.type_),
               "MPI_Type_create_hindexed");
    made.commit();
    return made;
}

Datatype Datatype::of_vector(int count, int length, int stride, MPI_Datatype element) {
    Datatype made;
    mpi::check(MPI_Type_vector(count, length, stride, element, &made.type_), "MPI_Type_vector");
    made.commit();
    return made;
}

Datatype Datatype::repeated(int count, MPI_Aint stride_bytes, const Datatype& element) {
    Datatype made;
    mpi::check(MPI_Type_create_hvector(count, 1, stride_bytes, element.handle(), &made.type_),
               "MPI_Type_create_hvector");
    made.commit();
    return made;
}

Datatype Datatype::of_indexed(int length, std::span<const int> displacements,
                              MPI_Datatype element) {
    const std::vector<int> lengths(displacements.size(), length);
    Datatype made;
    mpi::check(MPI_Type_indexed(static_cast<int>(lengths.size()), lengths.data(),
                                displacements.data(), element, &made.type_),
               "MPI_Type_indexed");
    made.commit();
    return made;
}

Datatype Datatype::of_subarray(std::span<const int> sizes, std::span<const int> part,
                               MPI_Datatype element) {
    const std::vector<int> starts(sizes.size(), 0);
    Datatype made;
    mpi::check(MPI_Type_create_subarray(static_cast<int>(sizes.size()), sizes.data(), part.data(),
                                        starts.data(), MPI_ORDER_C, element, &made.type_),
               "MPI_Type_create_subarray");
    made.commit();
    return made;
}

Datatype Datatype::of_parts(std::span<const Part> parts) {
    const std::vector<int> ones(parts.size(), 1);
    std::vector<MPI_Aint> displacements;
    std::vector<MPI_Datatype> types;
    for (const auto& part : parts) {
        displacements.push_back(part.displacement);
        types.push_back(part.type);
    }
    Datatype made;
    mpi::check(MPI_Type_create_struct(static_cast<int>(parts.size()), ones.data(),
                                      displacements.data(), types.data(), &made.type_),
               "MPI_Type_create_struct");
    made.commit();
    return made;
}

void Datatype::commit() {
    mpi::check(MPI_Type_commit(&type_), "MPI_Type_commit");
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
