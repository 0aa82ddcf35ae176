// SPDX-License-Identifier: BSD-3-Clause
#include "lab/study/locality/kernels.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <random>
#include <vector>

#include "lab/measure/payload.hpp"
#include "lab/study/locality/blas.hpp"
#include "lab/study/memory_copy/triad_kernels.hpp"
#include "transrank/mpi/agreement.hpp"

namespace transrank::lab::study::locality {
namespace {

constexpr double triad_scalar = 3;
constexpr std::size_t line_doubles = 64 / sizeof(double);
static_assert(sizeof(std::size_t) == sizeof(double));

std::size_t elements(std::int64_t order) {
    return static_cast<std::size_t>(order * order);
}
std::size_t one_matrix(std::int64_t order) {
    // A chase needs a line of its own for each of two places at least.
    return std::max(elements(order), 2 * line_doubles);
}
std::size_t three_matrices(std::int64_t order) {
    return 3 * elements(order);
}
double no_bytes(std::int64_t /*order*/) {
    return 0;
}
double triad_bytes(std::int64_t order) {
    return 24.0 * static_cast<double>(elements(order));
}

/// A whole number from -4 to 4: products of matrices of these are exact.
double small_number(std::uint64_t stamp, std::size_t i) {
    const std::uint64_t mixed = (stamp * 0xD134'2543'DE82'EF95U) + (i * 0x9E37'79B9'7F4A'7C15U);
    return static_cast<double>(static_cast<int>((mixed >> 40U) % 9) - 4);
}

[[noreturn]] void refuse(const std::string& what, std::size_t place, double found,
                         double expected) {
    throw measure::WrongPayload("wrong data: " + what + ' ' + std::to_string(place) + ": " +
                                std::to_string(found) + " instead of " + std::to_string(expected));
}

/// Three matrices: two operands, then the result.
class MatrixOperation : public PlacedOperation {
public:
    MatrixOperation(const mpi::Communicator& comm, const Seat& seat, const std::string& arrangement,
                    std::int64_t order)
        : PlacedOperation(comm, seat, arrangement, three_matrices(order)), order_(order) {}

    void fill(std::uint64_t stamp) final {
        const auto count = 2 * elements(order_);
        for (std::size_t i = 0; i < count; ++i) {
            data()[i] = small_number(stamp, i);
        }
        std::ranges::fill(result(), -1.0);
    }

protected:
    [[nodiscard]] std::int64_t order() const noexcept { return order_; }
    [[nodiscard]] std::span<double> operand(int which) const noexcept {
        return data().subspan(static_cast<std::size_t>(which) * elements(order_), elements(order_));
    }
    [[nodiscard]] std::span<double> result() const noexcept { return operand(2); }

private:
    std::int64_t order_;
};

class Product final : public MatrixOperation {
public:
    Product(const mpi::Communicator& comm, const Seat& seat, const std::string& arrangement,
            std::int64_t order, const Blas& blas)
        : MatrixOperation(comm, seat, arrangement, order), blas_(blas) {}

    void run(std::int64_t repetitions) override {
        for (std::int64_t i = 0; i < repetitions; ++i) {
            blas_.multiply(order(), operand(0).data(), operand(1).data(), result().data());
        }
    }

    // C x = A (B x) for a vector of ones and minus ones (Freivalds 1979): exact, and quadratic.
    std::uint64_t verify(std::int64_t /*repetitions*/) override {
        std::vector<double> x(static_cast<std::size_t>(order()));
        for (std::size_t i = 0; i < x.size(); ++i) {
            x[i] = small_number(i, 7) < 0 ? -1 : 1;
        }
        const auto expected = times(operand(0), times(operand(1), x));
        const auto found = times(result(), x);
        for (std::size_t row = 0; row < x.size(); ++row) {
            if (found[row] != expected[row]) {
                refuse("product of rank " + std::to_string(rank()) + ", row", row, found[row],
                       expected[row]);
            }
        }
        return result().size_bytes();
    }

private:
    void describe_kernel(text::JsonWriter& json) const override {
        json.key("blas").value(blas_.library);
    }
    [[nodiscard]] std::vector<double> times(std::span<const double> matrix,
                                            const std::vector<double>& x) const {
        std::vector<double> y(x.size());
        for (std::size_t column = 0; column < x.size(); ++column) {
            for (std::size_t row = 0; row < x.size(); ++row) {
                y[row] += matrix[(column * x.size()) + row] * x[column];
            }
        }
        return y;
    }

    const Blas& blas_;
};

class PlacedTriad final : public MatrixOperation {
public:
    using MatrixOperation::MatrixOperation;

    void run(std::int64_t repetitions) override {
        const auto triad = triad_kernels().back().triad;
        for (std::int64_t i = 0; i < repetitions; ++i) {
            triad(result().data(), operand(0).data(), operand(1).data(), triad_scalar,
                  result().size());
        }
    }

    std::uint64_t verify(std::int64_t /*repetitions*/) override {
        for (std::size_t i = 0; i < result().size(); ++i) {
            const double expected = operand(0)[i] + (triad_scalar * operand(1)[i]);
            if (result()[i] != expected) {
                refuse("triad of rank " + std::to_string(rank()) + ", element", i, result()[i],
                       expected);
            }
        }
        return result().size_bytes();
    }
};

/// Each line holds the number of the next one in a single cycle through all of them, in random
/// order, so that no prefetcher can predict it.
class Chase final : public PlacedOperation {
public:
    Chase(const mpi::Communicator& comm, const Seat& seat, const std::string& arrangement,
          std::int64_t order)
        : PlacedOperation(comm, seat, arrangement, one_matrix(order)) {}

    void fill(std::uint64_t stamp) override {
        std::vector<std::size_t> lines(data().size() / line_doubles);
        std::iota(lines.begin(), lines.end(), std::size_t{0});
        std::mt19937_64 random(stamp);
        for (std::size_t i = lines.size(); i > 1; --i) {
            std::swap(lines[i - 1], lines[random() % i]);
        }
        for (std::size_t i = 0; i < lines.size(); ++i) {
            words()[lines[i] * line_doubles] = lines[(i + 1) % lines.size()] * line_doubles;
        }
        at_ = first_ = lines.front() * line_doubles;
        hops_ = 0;
    }

    void run(std::int64_t repetitions) override {
        const auto line = words();
        std::size_t at = at_;
        for (std::int64_t i = 0; i < repetitions * hops_per_repetition; ++i) {
            at = line[at];
        }
        at_ = at;
        hops_ += static_cast<std::size_t>(repetitions) * hops_per_repetition;
    }

    // Walks the cycle once from its beginning: it holds every line, and the chase is where so many
    // hops lead.
    std::uint64_t verify(std::int64_t /*repetitions*/) override {
        const std::size_t lines = data().size() / line_doubles;
        std::size_t at = first_;
        for (std::size_t hop = 0; hop < lines; ++hop) {
            if (hop == hops_ % lines && at != at_) {
                refuse("chase of rank " + std::to_string(rank()) + ", hop", hops_,
                       static_cast<double>(at_), static_cast<double>(at));
            }
            at = words()[at];
            if (at == first_ && hop + 1 < lines) {
                refuse("cycle of rank " + std::to_string(rank()) + ", length", lines,
                       static_cast<double>(hop + 1), static_cast<double>(lines));
            }
        }
        return lines * sizeof(double);
    }

private:
    // Nothing else is ever in this memory while the chase owns it: numbers, not doubles.
    [[nodiscard]] std::span<std::size_t> words() const noexcept {
        return {reinterpret_cast<std::size_t*>(data().data()), data().size()};
    }

    std::size_t first_ = 0;
    std::size_t at_ = 0;
    std::size_t hops_ = 0;
};

std::unique_ptr<PlacedOperation> make_product(const mpi::Communicator& comm, const Seat& seat,
                                              const std::string& arrangement, std::int64_t order) {
    const Blas* blas = nullptr;
    mpi::agree(comm, [&] { blas = &find_blas(); });
    return std::make_unique<Product>(comm, seat, arrangement, order, *blas);
}

template <class Made>
std::unique_ptr<PlacedOperation> make(const mpi::Communicator& comm, const Seat& seat,
                                      const std::string& arrangement, std::int64_t order) {
    return std::make_unique<Made>(comm, seat, arrangement, order);
}

constexpr std::array table{Kernel{.name = "dgemm",
                                  .doubles = three_matrices,
                                  .bytes_counted = no_bytes,
                                  .operations_per_repetition = 1,
                                  .make = make_product},
                           Kernel{.name = "triad",
                                  .doubles = three_matrices,
                                  .bytes_counted = triad_bytes,
                                  .operations_per_repetition = 1,
                                  .make = make<PlacedTriad>},
                           Kernel{.name = "latency",
                                  .doubles = one_matrix,
                                  .bytes_counted = no_bytes,
                                  .operations_per_repetition = hops_per_repetition,
                                  .make = make<Chase>}};

}  // namespace

std::span<const Kernel> kernels() {
    return table;
}

}  // namespace transrank::lab::study::locality
