// SPDX-License-Identifier: BSD-3-Clause
// ranks: 1 3 4
// What holds for every study of the table.
#include "lab/measure/payload.hpp"
#include "lab/study/study.hpp"
#include "lab/text/sizes.hpp"
#include "testing.hpp"
#include "transrank/mpi/agreement.hpp"

using namespace transrank;
using namespace transrank::lab;
using measure::CacheMode;

namespace {

constexpr std::int64_t memory_bytes = std::int64_t{1} << 30;

/// A few sizes, where the study has any: nothing, one byte, and two protocols of messages; where it
/// has matrices or grids, small ones; of the others what does not take long.
study::Selection few_sizes(const study::Study& study) {
    study::Selection selection;
    if (!study.sizes.empty()) {
        selection.sizes = {0, 1, 1008, 100'000};
    }
    const auto axes = study.axes();
    if (std::ranges::count(axes, "order", &study::AxisChoice::name) != 0) {
        selection.axes["order"] = {"48"};
    }
    const auto points = std::ranges::find(axes, "points", &study::AxisChoice::name);
    if (points != axes.end()) {
        selection.axes["points"] = {points->values.front()};
    }
    if (std::ranges::count(axes, "match", &study::AxisChoice::name) != 0) {
        selection.axes["match"] = {"exact", "any-source", "any-tag", "any"};
    }
    if (study.name == "datatypes") {
        selection.sizes = {0, 1024, 64'000};
    } else if (study.name == "one-sided") {
        selection.sizes = {0, 1, 4, 8, 1008};
        selection.axes["window"] = {"created", "dynamic"};  // over memory that can be changed here
        selection.axes["epoch"] = {"flush", "fence", "post", "lock", "flush-local", "lock-all"};
        selection.axes["direction"] = {"one-way", "both-ways"};
        selection.axes["word"] = {"uint64", "uint32", "uint8"};
    } else if (study.name == "overlap") {
        selection.sizes = {0, 1008};
        selection.axes["operation"] = {
            "message",          "exchange", "allreduce", "bcast", "neighbor_allgatherv",
            "neighbor_alltoall"};
    } else if (study.name == "neighborhood") {
        selection.sizes = {0, 1008};
        selection.axes["topology"] = {"ring", "random"};
    } else if (study.name == "redistribute") {
        selection.axes["grid"] = {"16x32x2"};
        selection.axes["mode"] = {"used"};
    } else if (study.name == "plan-scaling") {
        selection.axes["plan_ranks"] = {"4", "2048"};
    }
    return selection;
}

/// The bytes that all ranks verified; -1 when one of them found a wrong payload.
std::int64_t verified(measure::Operation& operation, std::int64_t repetitions,
                      const mpi::Communicator& comm) {
    std::array<std::int64_t, 2> bytes_and_wrong{};
    try {
        bytes_and_wrong[0] = static_cast<std::int64_t>(operation.verify(repetitions));
    } catch (const measure::WrongPayload&) {
        bytes_and_wrong[1] = 1;
    }
    MPI_Allreduce(MPI_IN_PLACE, bytes_and_wrong.data(), 2, MPI_INT64_T, MPI_SUM, comm.handle());
    return bytes_and_wrong[1] != 0 ? -1 : bytes_and_wrong[0];
}

/// Whether the case receives whole words into the workspace: then a payload cannot be right by
/// chance.
bool moves_words(const measure::Case& point) {
    const auto bytes = std::ranges::find(point.axes, "bytes", &measure::Axis::name);
    const auto part = std::ranges::find(point.axes, "part", &measure::Axis::name);
    return point.receive_bytes > 0 && bytes != point.axes.end() &&
           std::get<std::int64_t>(bytes->value) >= 8 &&
           (part == point.axes.end() || part->value != measure::AxisValue("computation"));
}

/// Changes one bit of every byte that may have been received.
void change_received(const measure::Case& point, const measure::Workspace& workspace) {
    const auto slot_bytes = std::max(point.send_bytes, point.receive_bytes);
    for (std::int64_t slot = 0; slot < workspace.slots(slot_bytes); ++slot) {
        for (auto& byte : workspace.receive(slot, slot_bytes, point.receive_bytes)) {
            byte ^= std::byte{0x10};
        }
    }
}

void try_case(const study::Study& study, const measure::Case& point, const mpi::Communicator& comm,
              CacheMode cache) {
    CAPTURE(point.id());
    CAPTURE(measure::name(cache));
    const measure::Workspace workspace(point.send_bytes, point.receive_bytes, cache);
    const auto bytes_axis = std::ranges::find(point.axes, "bytes", &measure::Axis::name);
    const study::Setting setting{
        comm, workspace,
        bytes_axis == point.axes.end() ? 0 : std::get<std::int64_t>(bytes_axis->value)};
    const auto operation = study.prepare(point, setting);
    const std::int64_t repetitions = point.timing == measure::TimingKind::single ? 1 : 3;
    operation->fill(1000);
    operation->prepare();
    operation->run(repetitions);
    const auto bytes = verified(*operation, repetitions, comm);
    REQUIRE(bytes >= 0);
    if (comm.size() > 1 && moves_words(point)) {
        REQUIRE(bytes > 0);
    }
    if (bytes > 0 && moves_words(point)) {
        change_received(point, workspace);
        REQUIRE(verified(*operation, repetitions, comm) == -1);
    }
}

}  // namespace

TEST_CASE("every case moves its payload, and its verification can fail") {
    const mpi::Communicator world(MPI_COMM_WORLD);
    for (const auto& study : study::all()) {
        const int ranks = study.ranks_used(world.size());
        const auto active = world.split(world.rank() < ranks ? 0 : 1);
        auto selection = few_sizes(study);
        for (const auto cache : {CacheMode::warm, CacheMode::rewritten}) {  // one slot, and many
            if (cache == CacheMode::rewritten) {  // of whole words, a message that is not short
                std::erase_if(selection.sizes, [](auto bytes) { return bytes / 1000 != 1; });
            }
            for (const auto& point :
                 study::select(study, selection, world.size(), cache, memory_bytes)) {
                if (!point.skip_reason.empty() || world.rank() >= ranks) {
                    continue;
                }
                try {
                    try_case(study, point, active, cache);
                } catch (const mpi::AgreedError& error) {
                    CAPTURE(std::string(error.what()));
                    // Several memory domains and a BLAS; algorithms of the MPI library's own.
                    const bool may_lack =
                        study.name == "locality" || study.name == "alltoall-algorithms";
                    CHECK_MESSAGE(may_lack, point.id(), " cannot be had");
                }
            }
        }
    }
}

TEST_CASE("the names of studies and of their cases are unique") {
    std::set<std::string> ids;
    std::set<std::string_view> names;
    std::size_t cases = 0;
    for (const auto& study : study::all()) {
        names.insert(study.name);
        CHECK(&study::find(study.name) == &study);
        for (const auto& point : study::select(study, {}, 4, CacheMode::warm, memory_bytes)) {
            ids.insert(point.id());
            CHECK(point.study == study.name);
            CHECK(!point.group.empty());
            ++cases;
        }
    }
    CHECK(names.size() == study::all().size());
    CHECK(ids.size() == cases);
}

TEST_CASE("on too few ranks, and in too little memory, every case says why it is skipped") {
    for (const auto& study : study::all()) {
        CAPTURE(study.name);
        for (int ranks = 1; ranks < study.fewest_ranks; ++ranks) {
            for (const auto& point :
                 study::select(study, {}, ranks, CacheMode::warm, memory_bytes)) {
                CHECK(point.skip_reason.find("needs at least ") == 0);
            }
        }
        for (const auto& point :
             study::select(study, {}, study.fewest_ranks, CacheMode::warm, 100)) {
            const auto needed = measure::Workspace::footprint(point.send_bytes, point.receive_bytes,
                                                              CacheMode::warm);
            CHECK((point.skip_reason.empty() ? needed <= 100 : !point.skip_reason.empty()));
        }
    }
}

TEST_CASE("a grid that memory does not hold has fewer cells, and says how many times fewer") {
    const auto& study = study::find("redistribute");
    study::Selection selection;
    selection.axes["grid"] = {"2048x4096x8"};
    selection.axes["layouts"] = {"blocks"};
    const auto scale = [&](std::int64_t memory) {
        const auto points = study::select(study, selection, 2, CacheMode::warm, memory);
        CHECK(!points.empty());
        for (const auto& point : points) {
            CHECK(point.skip_reason.find("memory") == std::string::npos);
            const auto arrays = measure::Workspace::footprint(point.send_bytes, point.receive_bytes,
                                                              CacheMode::warm);
            CHECK(arrays + point.further_bytes <= memory);
        }
        return points.front().number("scale");
    };
    // 64 Mi cells of 8 doubles: 2 GiB of each array on each of two ranks, arrays of two kinds.
    constexpr std::int64_t gibibyte = std::int64_t{1} << 30U;
    CHECK(scale(8 * gibibyte) == 1);
    CHECK(scale(8 * gibibyte - 1) == 2);
    CHECK(scale(gibibyte) == 8);
}

TEST_CASE("every axis value can be selected, alone and by default") {
    for (const auto& study : study::all()) {
        CAPTURE(study.name);
        for (const auto& axis : study.axes()) {
            for (const auto& value : axis.known()) {
                CAPTURE(value);
                auto selection = few_sizes(study);
                selection.axes[std::string(axis.name)] = {value};
                CHECK(study::values_of(selection, axis) == std::vector{value});
                CHECK_NOTHROW(
                    (void)study::select(study, selection, 2, CacheMode::warm, memory_bytes));
            }
            CHECK(study::values_of({}, axis) == axis.values);
            for (const auto& value : axis.quick) {
                CAPTURE(value);
                CHECK(std::ranges::count(axis.values, value) == 1);
            }
        }
    }
}

namespace {

std::vector<measure::Case> selected(std::string_view study, int ranks,
                                    const std::map<std::string, std::string>& axes) {
    study::Selection selection;
    for (const auto& [axis, values] : axes) {
        selection.axes[axis] = text::split_list(values);
    }
    return study::select(study::find(study), selection, ranks, CacheMode::warm, memory_bytes);
}

}  // namespace

TEST_CASE("an open axis takes what lies within its bounds, once, and refuses the rest") {
    const std::map<std::string, std::string> common{{"mode", "used"}, {"transport", "auto"}};
    const auto ghost = [&](const std::string& vdim, const std::string& rows) {
        auto axes = common;
        axes.insert({{"vdim", vdim}, {"rows", rows}});
        return selected("ghost", 2, axes);
    };
    const auto points = ghost("7,6,7,4096", "32x32x32,1x1024x3");
    REQUIRE(points.size() == 6);
    CHECK(points[0].id() == "ghost/corrected/6/used/auto");
    CHECK(points[1].id() == "ghost/corrected/6/used/auto/1x1024x3");
    CHECK(points[2].id() == "ghost/corrected/7/used/auto");
    for (const auto* vdim :
         {"0", "4097", "07", "+7", "-1", "7x7", "x", "", "1e3", "99999999999999999999"}) {
        CHECK_THROWS_WITH_AS((void)ghost(vdim, "32x32x32"),
                             doctest::Contains("; known: 6 20 120 1..4096"), std::invalid_argument);
    }
    for (const auto* rows : {"4x4", "0x4x4", "4x4x1025", "4x4x4x4", "4x4x", "64"}) {
        CHECK_THROWS_WITH_AS((void)ghost("6", rows),
                             doctest::Contains("; known: 32x32x32 1x1x1..1024x1024x1024"),
                             std::invalid_argument);
    }
    for (const auto* velocity : {"0:0", "9:0", "1", "1:", "1:nan", "1:2:3", "1;2"}) {
        CHECK_THROWS_WITH_AS((void)selected("advection", 2, {{"velocity", velocity}}),
                             doctest::Contains("-8:-8..8:8"), std::invalid_argument);
    }
}

TEST_CASE("cases of values that no list names move their payload") {
    const mpi::Communicator world(MPI_COMM_WORLD);
    const int ranks = world.size();
    const auto all = std::to_string(ranks);
    auto points = selected("ghost", ranks,
                           {{"pattern", "corrected,literal,remote"},
                            {"vdim", "7"},
                            {"rows", "5x1x3,2x3x4"},
                            {"mode", "used"}});
    const auto add = [&](const std::vector<measure::Case>& more) {
        points.insert(points.end(), more.begin(), more.end());
    };
    add(selected("redistribute", ranks,
                 {{"grid", "7x5x4"}, {"from", all}, {"to", "1x1x" + all}, {"mode", "used"}}));
    add(selected("redistribute", ranks,
                 {{"grid", "9x6"}, {"to", "1x" + all}, {"layouts", "blocks"}, {"mode", "used"}}));
    add(selected("advection", ranks,
                 {{"velocity", "0.25:-1,0:2.5"}, {"points", "17"}, {"iterations", "3"}}));
    for (const auto& point : points) {
        if (point.skip_reason.empty()) {
            try {
                try_case(study::find(point.study), point, world, CacheMode::warm);
            } catch (const mpi::AgreedError& error) {
                MESSAGE(point.id(), " cannot be had here: ", std::string(error.what()));
            }
        }
    }
    CHECK(std::ranges::count_if(points,
                                [](const auto& point) { return point.skip_reason.empty(); }) > 100);
}

TEST_CASE("parts that do not fit the ranks or the grid are said before anything is launched") {
    const auto reason = [](int ranks, const std::string& from, const std::string& to) {
        return selected("redistribute", ranks,
                        {{"grid", "8x4x2"}, {"from", from}, {"to", to}, {"layouts", "blocks"}})
            .front()
            .skip_reason;
    };
    CHECK(reason(4, "2x2", "1x2x2").empty());
    CHECK(reason(2, "2x2", "1x2") == "2x2 are 4 parts, the launch has 2 ranks");
    CHECK(reason(8, "8", "1x8") == "1x8 are more parts than 8x4x2 has cells along dimension 1");
    const auto named_twice = selected(
        "redistribute", 4, {{"grid", "64x128x16"}, {"from", "usual,4,4x1"}, {"layouts", "blocks"}});
    const auto once = selected("redistribute", 4, {{"grid", "64x128x16"}, {"layouts", "blocks"}});
    CHECK(named_twice.size() == once.size());
}

TEST_CASE("unknown studies, axes and values are refused with the known ones") {
    CHECK_THROWS_WITH_AS((void)study::find("pingpang"),
                         doctest::Contains("unknown study 'pingpang'; known: pingpong"),
                         std::invalid_argument);
    const auto select = [](const study::Selection& selection) {
        (void)study::select(study::find("bandwidth"), selection, 2, CacheMode::warm, memory_bytes);
    };
    study::Selection no_axis;
    no_axis.axes["windows"] = {"64"};
    CHECK_THROWS_WITH_AS(select(no_axis),
                         "unknown axis of study bandwidth 'windows'; known: window",
                         std::invalid_argument);
    study::Selection no_value;
    no_value.axes["window"] = {"64", "4097"};
    CHECK_THROWS_WITH_AS(select(no_value), "unknown window '4097'; known: 64 1..4096",
                         std::invalid_argument);
}
