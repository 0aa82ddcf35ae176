// SPDX-License-Identifier: BSD-3-Clause
#include "lab/study/datatypes/pieces.hpp"
#include "lab/study/study.hpp"
#include "testing.hpp"

using namespace transrank::lab;
using study::datatypes::Pieces;

TEST_CASE("a layout's datatype holds what packing by hand takes, in the same order") {
    for (const auto& layout : study::datatypes::layout_names()) {
        for (const int count : {1, 2, 6, 7, 64}) {
            for (const int length : {1, 3, 8}) {
                CAPTURE(layout);
                CAPTURE(count);
                CAPTURE(length);
                const Pieces pieces(layout, count, length);
                std::vector<double> array(static_cast<std::size_t>(pieces.extent()));
                std::iota(array.begin(), array.end(), 1);
                const auto total =
                    static_cast<std::size_t>(count) * static_cast<std::size_t>(length);
                std::vector<double> by_hand(total);
                std::vector<double> by_mpi(total);
                pieces.pack(array.data(), by_hand.data());
                const auto bytes = static_cast<int>(total * sizeof(double));
                int position = 0;
                MPI_Pack(array.data(), 1, pieces.datatype().handle(), by_mpi.data(), bytes,
                         &position, MPI_COMM_WORLD);
                CHECK(position == bytes);
                CHECK(by_hand == by_mpi);
                CHECK(std::set(by_hand.begin(), by_hand.end()).size() == total);

                std::vector<double> unpacked(array.size());
                pieces.unpack(by_hand.data(), unpacked.data());
                std::vector<double> again(total);
                pieces.pack(unpacked.data(), again.data());
                CHECK(again == by_hand);
            }
        }
    }
    CHECK_THROWS_AS(Pieces("nosuch", 1, 1), std::out_of_range);
}

TEST_CASE("pieces lie apart, those of a subarray in planes") {
    CHECK(Pieces("vector", 64, 8).extent() == 64 * 16 - 8);
    // 8 planes of 8 rows; a plane of the array has 16 rows of 16.
    CHECK(Pieces("subarray", 64, 8).extent() == 7 * 16 * 16 + 7 * 16 + 8);
    CHECK(Pieces("indexed", 64, 8).extent() <= 64 * 16);
    CHECK(Pieces("indexed", 64, 8).extent() >= 63 * 16 + 8);
}

TEST_CASE("bytes that pieces do not fill are skipped, and what has no pieces is measured once") {
    study::Selection selection;
    selection.sizes = {100, 1024};
    std::vector<std::string> measured;
    for (const auto& point : study::select(study::find("datatypes"), selection, 2,
                                           measure::CacheMode::warm, std::int64_t{1} << 30)) {
        if (point.skip_reason.empty()) {
            measured.push_back(point.id());
            CHECK(point.bytes_counted == 1024);
        } else {
            CHECK(point.skip_reason.find("100B are not pieces of") == 0);
        }
    }
    CHECK(measured.size() == 1 + 3 * 3 * 3);
    CHECK(measured.front() == "datatypes/contiguous/1KiB");
    CHECK(measured[1] == "datatypes/vector/datatype/8/1KiB");
}
