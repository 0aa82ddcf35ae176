// SPDX-License-Identifier: BSD-3-Clause
#include <csignal>
#include <sys/resource.h>

#include "lab/measure/case.hpp"
#include "lab/measure/record_file.hpp"
#include "testing.hpp"

using namespace transrank;
using namespace transrank::lab;
using transrank::lab::measure::RecordFailure;
using transrank::lab::measure::RecordFile;

namespace {

struct Scratch : testing::Folder {
    [[nodiscard]] std::string file() const { return (path / "run.jsonl").string(); }
};

/// As long as it lives, no file of this process grows beyond `bytes`: a full disk for one file.
class FullDisk {
public:
    explicit FullDisk(rlim_t bytes) {
        std::signal(SIGXFSZ, SIG_IGN);
        getrlimit(RLIMIT_FSIZE, &before_);
        const rlimit limit{.rlim_cur = bytes, .rlim_max = before_.rlim_max};
        REQUIRE(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    }
    FullDisk(const FullDisk&) = delete;
    FullDisk& operator=(const FullDisk&) = delete;
    ~FullDisk() {
        setrlimit(RLIMIT_FSIZE, &before_);
        std::signal(SIGXFSZ, SIG_DFL);
    }

private:
    rlimit before_{};
};

std::string content(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

std::string failure_of(RecordFile& record, const std::string& line) {
    return testing::words_of<RecordFailure>([&] { record.append(line); });
}

}  // namespace

TEST_CASE("lines are in the file as soon as they are appended, after what was there") {
    const Scratch scratch;
    std::ofstream(scratch.file()) << "header\n";
    RecordFile record(scratch.file());
    record.append("first");
    CHECK(content(scratch.file()) == "header\nfirst\n");
    record.append("second");
    record.synchronise();
    CHECK(content(scratch.file()) == "header\nfirst\nsecond\n");
}

TEST_CASE("half a line on a full disk is taken back, and the error names file and cause") {
    const Scratch scratch;
    RecordFile record(scratch.file());
    record.append("0123456789");
    for (rlim_t room = 0; room < 9; ++room) {
        CAPTURE(room);
        std::string what;
        {
            const FullDisk full(11 + room);
            what = failure_of(record, "too long");
        }
        CHECK(what == "cannot write record file " + scratch.file() + ": File too large");
        CHECK(content(scratch.file()) == "0123456789\n");
    }
    {
        const FullDisk full(11 + 9);
        CHECK(failure_of(record, "too long").empty());
    }
    CHECK(content(scratch.file()) == "0123456789\ntoo long\n");
}

TEST_CASE("a device without room is named") {
    RecordFile record("/dev/full");
    CHECK(failure_of(record, "line") ==
          "cannot write record file /dev/full: No space left on device");
}

TEST_CASE("a file that cannot be opened is named") {
    const Scratch scratch;
    const std::string path = scratch.file() + "/nowhere";
    CHECK_THROWS_WITH_AS(
        RecordFile{path},
        ("cannot open record file " + path + ": No such file or directory").c_str(), RecordFailure);
}

namespace {

measure::Case sample_case() {
    measure::Case point;
    point.study = "collectives";
    point.axes = {{.name = "operation", .value = "allreduce"},
                  {.name = "root", .value = std::int64_t{3}},
                  {.name = "bytes", .value = std::int64_t{65536}}};
    return point;
}

}  // namespace

TEST_CASE("a case is named by its study and its values, sizes with their unit") {
    CHECK(sample_case().id() == "collectives/allreduce/3/64KiB");
    measure::Case plain;
    plain.study = "barrier";
    CHECK(plain.id() == "barrier");
}

TEST_CASE("a case tells its values by the axis") {
    const auto point = sample_case();
    CHECK(point.number("bytes") == 65536);
    CHECK(point.text("operation") == "allreduce");
}

TEST_CASE("an axis that a case does not have is named in the error") {
    const auto point = sample_case();
    CHECK_THROWS_WITH_AS((void)point.number("window"),
                         "case collectives/allreduce/3/64KiB has no axis 'window'",
                         std::out_of_range);
    CHECK_THROWS_AS((void)point.text("window"), std::out_of_range);
}
