// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

namespace transrank::lab::study::locality {

/// C = A B of square matrices of `n` rows, column by column, by the BLAS of the machine.
using MatrixProduct = void (*)(std::int64_t n, const double* a, const double* b, double* c);

struct Blas {
    MatrixProduct multiply;
    std::string library;  ///< as the loader found it
};

/// The first BLAS that can be loaded: the file that TRANSRANK_BLAS names, else OpenBLAS, MKL, BLIS
/// or the reference library of the system. Throws std::runtime_error that says where was looked.
[[nodiscard]] const Blas& find_blas();

}  // namespace transrank::lab::study::locality
