// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <limits>
#include <string>

#include "lab/measure/payload.hpp"
#include "lab/study/collectives/contents.hpp"
#include "lab/study/named.hpp"

namespace transrank::lab::study::collectives {
namespace {

template <class Number>
class Reduction final : public Contents {
public:
    explicit Reduction(const Buffers& buffers) : buffers_(buffers) {}

    void fill(std::uint64_t stamp) override {
        stamp_ = stamp;
        Period contribution{};
        combine(contribution, buffers_.rank);
        const auto send = numbers(buffers_.send);
        for (std::size_t first = 0; first < send.size(); first += contribution.size()) {
            const auto part = piece(send, first);
            std::ranges::copy(std::span(contribution).first(part.size()), part.begin());
        }
        measure::poison(buffers_.receive);
    }

    [[nodiscard]] std::uint64_t verify(const Roots& roots) const override {
        // Nothing is said of what MPI_Exscan leaves on rank 0.
        const int combined = combined_ranks();
        if (combined == 0 ||
            (buffers_.flow.receive.ranks == Ranks::root && !roots.has_been(buffers_.rank))) {
            return 0;
        }
        Period results{};
        for (int rank = 0; rank < combined; ++rank) {
            combine(results, rank);
        }
        const auto begin = result_begin();
        std::ranges::rotate(results, results.begin() + (begin % std::ssize(results)));
        const auto received = numbers(buffers_.receive.first(buffers_.result_bytes));
        for (std::size_t first = 0; first < received.size(); first += results.size()) {
            const auto found = piece(received, first);
            const auto [wrong, expected] = std::ranges::mismatch(found, results);
            if (wrong != found.end()) {
                refuse(first + static_cast<std::size_t>(wrong - found.begin()), *wrong, *expected);
            }
        }
        return buffers_.result_bytes;
    }

private:
    // Elements repeat after this many.
    using Period = std::array<Number, measure::reduction_period>;

    [[nodiscard]] static std::span<Number> numbers(std::span<std::byte> side) {
        return {reinterpret_cast<Number*>(side.data()), side.size() / sizeof(Number)};
    }
    [[nodiscard]] static std::span<Number> piece(std::span<Number> all, std::size_t first) {
        return all.subspan(first, std::min(measure::reduction_period, all.size() - first));
    }

    /// From rank 0 on.
    [[nodiscard]] int combined_ranks() const {
        switch (buffers_.flow.over) {
            case Over::nothing:
                return 0;
            case Over::all:
                return buffers_.ranks;
            case Over::up_to_own:
                return buffers_.rank + 1;
            case Over::below_own:
                return buffers_.rank;
        }
        return 0;
    }

    /// Which element of the ranks' vectors is the first that this rank receives.
    [[nodiscard]] std::int64_t result_begin() const {
        const auto count = static_cast<std::int64_t>(buffers_.block_bytes / sizeof(Number));
        if (buffers_.flow.send.blocks == Blocks::one_per_rank) {
            return count * buffers_.rank;
        }
        return buffers_.flow.receive.blocks == Blocks::share
                   ? share_begin(count, buffers_.rank, buffers_.ranks)
                   : 0;
    }

    // What MPI does with an overflow depends on the library, so there is none: 8 bits are shared
    // out among the ranks.
    void combine(Period& results, int rank) const {
        const int largest = std::is_same_v<Number, std::int8_t>
                                ? std::numeric_limits<std::int8_t>::max() / buffers_.ranks
                                : std::numeric_limits<int>::max() - 1;
        for (std::size_t i = 0; i < results.size(); ++i) {
            const auto element =
                static_cast<Number>(measure::reduction_element(rank, i, stamp_) % (largest + 1));
            results[i] = buffers_.reduction == MPI_MAX ? std::max(results[i], element)
                                                       : static_cast<Number>(results[i] + element);
        }
    }

    [[noreturn]] void refuse(std::size_t position, Number found, Number expected) const {
        throw measure::WrongPayload(
            std::string("wrong data: ") + (buffers_.reduction == MPI_MAX ? "maximum" : "sum") +
            " over " + std::to_string(combined_ranks()) + " ranks, iteration " +
            std::to_string(stamp_) + ", element " + std::to_string(position) + ": received " +
            std::to_string(found) + ", expected " + std::to_string(expected));
    }

    Buffers buffers_;
    std::uint64_t stamp_ = 0;
};

template <class Number>
std::unique_ptr<Contents> make_reduction(const Buffers& buffers) {
    return std::make_unique<Reduction<Number>>(buffers);
}

// MPI_CHAR, which OSU adds up by default, is text to the standard and has no sum.
const auto& table() {
    static const std::array rows{
        Datatype{.name = "float",
                 .handle = MPI_FLOAT,
                 .bytes = sizeof(float),
                 .most_ranks = 262'144,
                 .contents = make_reduction<float>},
        Datatype{.name = "double",
                 .handle = MPI_DOUBLE,
                 .bytes = sizeof(double),
                 .most_ranks = std::numeric_limits<int>::max(),
                 .contents = make_reduction<double>},
        Datatype{.name = "int",
                 .handle = MPI_INT,
                 .bytes = sizeof(int),
                 .most_ranks = 262'144,
                 .contents = make_reduction<int>},
        Datatype{.name = "int8",
                 .handle = MPI_INT8_T,
                 .bytes = sizeof(std::int8_t),
                 .most_ranks = std::numeric_limits<std::int8_t>::max(),
                 .contents = make_reduction<std::int8_t>},
    };
    return rows;
}

}  // namespace

std::span<const Datatype> datatypes() {
    return table();
}

const Datatype& find_datatype(std::string_view name) {
    return named(table(), name, "datatype for reductions");
}

}  // namespace transrank::lab::study::collectives
