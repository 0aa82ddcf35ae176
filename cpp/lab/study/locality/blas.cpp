// SPDX-License-Identifier: BSD-3-Clause
#include "lab/study/locality/blas.hpp"

#include <array>
#include <bit>
#include <cstdlib>
#include <dlfcn.h>
#include <stdexcept>

namespace transrank::lab::study::locality {
namespace {

// Fortran's dgemm takes addresses of whole numbers: of 32 bits, or of 64 in an ILP64 library. In
// little-endian memory a 64-bit number that fits 32 bits serves both. The lengths of the two
// characters are what Fortran compilers append.
static_assert(std::endian::native == std::endian::little);
using Integer = std::int64_t;
using Dgemm = void (*)(const char*, const char*, const Integer*, const Integer*, const Integer*,
                       const double*, const double*, const Integer*, const double*, const Integer*,
                       const double*, double*, const Integer*, std::size_t, std::size_t);

Dgemm dgemm = nullptr;

void multiply(std::int64_t n, const double* a, const double* b, double* c) {
    constexpr char plain = 'N';
    constexpr double one = 1;
    constexpr double zero = 0;
    dgemm(&plain, &plain, &n, &n, &n, &one, a, &n, b, &n, &zero, c, &n, 1, 1);
}

// The wheels scipy-openblas32 and scipy-openblas64 prefix their symbols.
void* find_symbol(void* library) {
    for (const char* name : {"dgemm_", "scipy_dgemm_", "scipy_dgemm_64_", "dgemm_64_"}) {
        if (void* symbol = dlsym(library, name)) {
            return symbol;
        }
    }
    return nullptr;
}

Blas load() {
    constexpr std::array names{"libopenblas.so.0", "libopenblas.so", "libmkl_rt.so.2",
                               "libblis.so.4", "libblas.so.3"};
    const char* named = std::getenv("TRANSRANK_BLAS");
    std::string tried;
    for (const char* name : names) {
        const char* wanted = named != nullptr && *named != '\0' ? named : name;
        tried += (tried.empty() ? "" : ", ") + std::string(wanted);
        void* library = dlopen(wanted, RTLD_NOW | RTLD_LOCAL);
        void* symbol = library == nullptr ? nullptr : find_symbol(library);
        if (symbol != nullptr) {
            dgemm = reinterpret_cast<Dgemm>(symbol);
            return {.multiply = multiply, .library = wanted};
        }
        if (wanted == named) {
            break;
        }
    }
    throw std::runtime_error("no BLAS with dgemm can be loaded (" + tried +
                             "); pip install scipy-openblas32, or name a library: TRANSRANK_BLAS");
}

}  // namespace

const Blas& find_blas() {
    static const Blas found = load();
    return found;
}

}  // namespace transrank::lab::study::locality
