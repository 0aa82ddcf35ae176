// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/memory/watched_process.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

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
