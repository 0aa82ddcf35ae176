// SPDX-License-Identifier: BSD-3-Clause
#include <atomic>
#include <csignal>
#include <new>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>

#include "testing.hpp"
#include "transrank/memory/doorbell.hpp"
#include "transrank/memory/process_reader.hpp"
#include "transrank/memory/shared_segment.hpp"
#include "transrank/memory/watched_process.hpp"

using transrank::memory::Doorbell;
using transrank::memory::MappedSegment;
using transrank::memory::ProcessReader;
using transrank::memory::SharedSegment;
using transrank::memory::WatchedProcess;
using Means = WatchedProcess::Means;

namespace {

/// A child that does nothing until it is killed.
class Child {
public:
    Child() : process_(fork()) {
        if (process_ == 0) {
            while (true) {
                pause();
            }
        }
    }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;
    ~Child() {
        kill(process_, SIGKILL);
        reap();
    }
    [[nodiscard]] pid_t process() const { return process_; }
    /// Ends it, and leaves it unreaped as a zombie.
    void end() const {
        kill(process_, SIGKILL);
        siginfo_t ended{};
        waitid(P_PID, static_cast<id_t>(process_), &ended, WEXITED | WNOWAIT);
    }
    void reap() const { waitpid(process_, nullptr, 0); }

private:
    pid_t process_;
};

}  // namespace

TEST_CASE("the end of a process is seen before and after it has been reaped") {
    for (const auto means : {Means::descriptor, Means::number}) {
        const Child child;
        const WatchedProcess watched(child.process(), means);
        CHECK((means == Means::descriptor || watched.means() == Means::number));
        CHECK(watched.is_alive());
        child.end();
        CHECK(!watched.is_alive());
        child.reap();
        CHECK(!watched.is_alive());
        CHECK(!WatchedProcess(child.process(), means).is_alive());
    }
}

TEST_CASE("a process is watched once, unless its number belongs to another one") {
    const Child child;
    const auto watched = WatchedProcess::get(child.process());
    CHECK(WatchedProcess::get(child.process()) == watched);
    child.end();
    CHECK(WatchedProcess::get(child.process()) != watched);
}

TEST_CASE("a process lives where there is no descriptor to look at it") {
    const Child child;
    const WatchedProcess watched(child.process(), Means::number);
    rlimit before{};
    getrlimit(RLIMIT_NOFILE, &before);
    const rlimit none{.rlim_cur = 0, .rlim_max = before.rlim_max};
    setrlimit(RLIMIT_NOFILE, &none);
    const bool lives = watched.is_alive();
    const WatchedProcess unseen(child.process(), Means::number);
    const bool unseen_lives = unseen.is_alive();
    setrlimit(RLIMIT_NOFILE, &before);
    CHECK(lives);
    CHECK(unseen_lives);
    CHECK(unseen.is_alive());
    child.end();
    CHECK(!watched.is_alive());
    CHECK(!unseen.is_alive());
}

TEST_CASE("this process lives") {
    CHECK(WatchedProcess(getpid(), Means::descriptor).is_alive());
    CHECK(WatchedProcess(getpid(), Means::number).is_alive());
}

namespace {

/// A sleep that nobody ends takes longer than any test may.
constexpr double for_ever = 30;

struct Shared {
    Doorbell doorbell;
    std::atomic<int> news{0};
    std::atomic<int> seen{0};
};

}  // namespace

TEST_CASE("no ring is lost between two processes") {
    const SharedSegment segment(sizeof(Shared));
    auto* const own = new (segment.bytes().data()) Shared;
    constexpr int rounds = 5000;
    const auto child = fork();
    if (child == 0) {
        const MappedSegment mapped(segment.handle());
        auto* const shared = std::launder(reinterpret_cast<Shared*>(mapped.bytes().data()));
        for (int round = 1; round <= rounds; ++round) {
            while (shared->news.load() < round) {
                shared->doorbell.sleep(for_ever, [&] { return shared->news.load() >= round; });
            }
            shared->seen.store(round);
        }
        _exit(0);
    }
    const auto begin = std::chrono::steady_clock::now();
    for (int round = 1; round <= rounds; ++round) {
        own->news.store(round);
        own->doorbell.ring();
        while (own->seen.load() < round) {
            std::this_thread::yield();
        }
    }
    int status = 0;
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status));
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::duration<double>(for_ever));
}

TEST_CASE("nobody sleeps who has news already, and all who sleep are woken") {
    Doorbell doorbell;
    doorbell.sleep(for_ever, [] { return true; });
    std::atomic<bool> news = false;
    std::vector<std::thread> sleepers;
    for (int i = 0; i < 3; ++i) {
        sleepers.emplace_back([&] {
            while (!news) {
                doorbell.sleep(for_ever, [&] { return news.load(); });
            }
        });
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    news = true;
    doorbell.ring();
    for (auto& each : sleepers) {
        each.join();
    }
}

TEST_CASE("memory of a process is read in the pieces asked for, and what is not there is refused") {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    constexpr std::size_t pieces = 1500;  // the kernel takes 1024 at once
    auto* const mapped = static_cast<std::byte*>(
        mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    REQUIRE(mapped != MAP_FAILED);
    for (std::size_t i = 0; i < 2 * page; ++i) {
        mapped[i] = static_cast<std::byte>(i * 7 / 5);
    }
    const Child child;  // has the same at the same address
    munmap(mapped + page, page);
    const auto at = [&](std::size_t offset) {
        return reinterpret_cast<std::uintptr_t>(mapped) + offset;
    };
    std::vector<std::byte> found(pieces * 3);
    ProcessReader reader(child.process());
    for (std::size_t i = 0; i < pieces; ++i) {
        reader.read(at(2 * page - 3 * (i + 1)), &found[3 * i], 3);
    }
    reader.finish();
    for (std::size_t i = 0; i < found.size(); ++i) {
        const auto offset = (2 * page) - (3 * (i / 3 + 1)) + (i % 3);
        REQUIRE(found[i] == static_cast<std::byte>(offset * 7 / 5));
    }
    ProcessReader own(getpid());
    for (const std::size_t offset : {page - 1, page}) {
        own.read(at(offset), found.data(), 2);
        CHECK_THROWS_AS(own.finish(), std::system_error);
    }
    munmap(mapped, page);
}
