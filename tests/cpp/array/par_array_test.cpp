// SPDX-License-Identifier: BSD-3-Clause
// Rows lie where their kind and alignment say, in memory that can be shared.
#include "transrank/array/par_array.hpp"

#include "testing.hpp"
#include "transrank/array/field.hpp"
#include "transrank/array/scalar.hpp"
#include "transrank/mpi/error.hpp"

using namespace transrank::array;
using transrank::copy::Scalar;

namespace {

struct Particle {
    double position[3];
    std::int32_t kind;
};

template <class Array>
std::ptrdiff_t begin_of(const Array& array, std::int64_t row) {
    return array[row].data() - array.data().data();
}

}  // namespace

static_assert(row_kind(5, 5) == RowKind::static_fixed);
static_assert(row_kind(0, 0) == RowKind::static_fixed);
static_assert(row_kind(5, 6) == RowKind::unknown);
static_assert(row_kind(dynamic_size, dynamic_size) == RowKind::fixed);
static_assert(row_kind(dynamic_size, 4) == RowKind::unknown);
static_assert(row_kind(non_uniform_size, 4) == RowKind::static_bounded);
static_assert(row_kind(non_uniform_size, dynamic_size) == RowKind::bounded);
static_assert(row_kind(non_uniform_size, non_uniform_size) == RowKind::variable);
static_assert(row_kind(-3, -3) == RowKind::unknown);
static_assert(row_kind(non_uniform_size, -3) == RowKind::unknown);

static_assert(ScalarOf<double>::value == Scalar::float64);
static_assert(ScalarOf<std::array<float, 3>>::value == Scalar::float32);
static_assert(ScalarOf<unsigned char>::value == Scalar::uint8);
static_assert(ScalarOf<long>::value == Scalar::int64);
static_assert(ScalarOf<bool>::value == Scalar::opaque);
static_assert(ScalarOf<Particle>::value == Scalar::opaque);
static_assert(ScalarOf<long double>::value == Scalar::opaque);

TEST_CASE("rows of a length fixed at compile time are spans of that length") {
    ParArray<double, 5> array;
    CHECK(array.size() == 0);
    CHECK(array.data().empty());
    array.resize(3);
    static_assert(decltype(array[0])::extent == 5);
    CHECK(array.size() == 3);
    CHECK(array.row_size() == 5);
    CHECK(array.row_size(2) == 5);
    CHECK(array.data().size() == 15);
    array[2][4] = 7;
    CHECK(array.data()[14] == 7);
    CHECK(begin_of(array, 1) == 5);
}

TEST_CASE("rows of each other kind lie where layout::Rows says, of any plain type") {
    ParArray<float, 3, 3, 4> aligned;
    aligned.resize(2);
    CHECK(aligned[1].size() == 3);
    CHECK(begin_of(aligned, 1) == 4);
    ParArray<int, dynamic_size> at_run_time;
    at_run_time.resize(4, 6);
    CHECK(at_run_time.row_size() == 6);
    CHECK(begin_of(at_run_time, 3) == 18);
    ParArray<int, non_uniform_size, 4> bounded;
    bounded.resize({4, 1});
    CHECK(bounded.row_size_max() == 4);
    CHECK(bounded[1].size() == 1);
    CHECK(begin_of(bounded, 1) == 4);
    ParArray<int, non_uniform_size, dynamic_size> bounded_at_run_time;
    bounded_at_run_time.resize({2, 0, 3}, 7);
    CHECK(bounded_at_run_time.row_size_max() == 7);
    CHECK(begin_of(bounded_at_run_time, 2) == 14);
    CHECK_THROWS_AS(bounded_at_run_time.resize({2, 8}, 7), std::invalid_argument);
    CHECK(bounded_at_run_time.size() == 3);
    ParArray<Particle, non_uniform_size, non_uniform_size, 4> variable;
    variable.resize({1, 0, 5, 2});
    variable[2][4].position[2] = 2.5;
    CHECK(variable.data()[8].position[2] == 2.5);
    CHECK(variable[1].empty());
    CHECK(begin_of(variable, 3) == 12);
    CHECK(variable.data().size() == 16);
    CHECK(reinterpret_cast<std::uintptr_t>(variable.data().data()) % 4096 == 0);
    CHECK_THROWS_AS(variable.resize({1, -1}), std::invalid_argument);
}

TEST_CASE("resizing gives new, zeroed memory that others can find") {
    ParArray<std::int64_t, 2> array;
    array.resize(1);
    array[0][1] = 3;
    const auto before = array.memory();
    array.resize(1);
    CHECK(array[0][1] == 0);
    CHECK(array.memory() != before);
    const auto bytes = std::as_bytes(array.data());
    CHECK(transrank::memory::SharedSegment::find(bytes.data(), bytes.size()).has_value());
    CHECK_THROWS_WITH_AS(array.resize(std::int64_t{1} << 61U),
                         "2305843009213693952 rows have more bytes than 64 bits can count",
                         std::invalid_argument);
    CHECK_THROWS_AS(array.resize(-1), std::invalid_argument);
}

TEST_CASE("an array that was moved from has no rows and no memory, until it is resized") {
    ParArray<double, 2> array;
    array.resize(3);
    array[2][1] = 5;
    auto moved = std::move(array);
    CHECK(moved[2][1] == 5);
    CHECK(array.size() == 0);
    CHECK(array.data().empty());
    CHECK(array.memory() == nullptr);
    CHECK_THROWS_AS((void)field(array, moved), transrank::mpi::Misuse);
    CHECK_THROWS_AS((void)field(moved, array), transrank::mpi::Misuse);
    ParArray<double, 2> assigned;
    assigned = std::move(moved);
    CHECK(assigned[2][1] == 5);
    CHECK_THROWS_AS((void)field(assigned, moved), transrank::mpi::Misuse);
    array.resize(1);
    CHECK(field(assigned, array).destination_bytes == 16);
}

TEST_CASE("rows that differ in a length known at run time alone are no field") {
    ParArray<double, dynamic_size> one;
    ParArray<double, dynamic_size> other;
    one.resize(2, 3);
    other.resize(2, 4);
    CHECK_THROWS_AS((void)field(one, other), std::invalid_argument);
    ParArray<double, 3> fixed;
    fixed.resize(5);
    CHECK(field(one, fixed).unit_bytes == 24);
    CHECK_THROWS_AS((void)field(other, fixed), std::invalid_argument);
    ParArray<std::int64_t, 3> integers;
    integers.resize(2);
    const RowArray& erased = fixed;
    CHECK_THROWS_AS((void)field(erased, static_cast<RowArray&>(integers)), std::invalid_argument);
}
