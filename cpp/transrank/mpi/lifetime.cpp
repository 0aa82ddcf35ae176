// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/mpi/lifetime.hpp"

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <forward_list>
#include <mutex>
#include <pthread.h>
#include <string>
#include <unistd.h>
#include <utility>

#include "transrank/mpi/error.hpp"

namespace transrank::mpi {

namespace {

enum class Standing : std::uint8_t { usable, finalized, child };

// Since some fork at the latest.
std::atomic<bool> mpi_has_run{false};
std::atomic<Standing> standing{Standing::usable};

// In the parent, since a child of a process with several threads may call next to nothing.
extern "C" void transrank_before_fork() {
    int initialized = 0;
    if (MPI_Initialized(&initialized) == MPI_SUCCESS && initialized != 0) {
        mpi_has_run.store(true, std::memory_order_relaxed);
    }
}

extern "C" void transrank_in_child() {
    if (mpi_has_run.load(std::memory_order_relaxed)) {
        standing.store(Standing::child, std::memory_order_relaxed);
    }
}

// When the library is loaded: what a process does before it first calls it counts, too.
[[maybe_unused]] const int registered =
    pthread_atfork(transrank_before_fork, nullptr, transrank_in_child);

using Work = void (*)() noexcept;

extern "C" int transrank_finalize(MPI_Comm /*comm*/, int /*key*/, void* work, void* /*extra*/) {
    if (is_own_process()) {
        reinterpret_cast<Work>(work)();
    }
    return MPI_SUCCESS;
}

void note_finalization() noexcept {
    standing.store(Standing::finalized, std::memory_order_relaxed);
}

[[noreturn]] void refuse(Standing why) {
    if (why == Standing::finalized) {
        throw Misuse(
            "MPI has been finalized in this process: call before MPI_Finalize what needs "
            "other ranks");
    }
    throw Misuse("process " + std::to_string(getpid()) +
                 " is a child that an MPI process has forked, and no rank itself: it may use and "
                 "drop what it has inherited, but leave to its parent what needs other ranks");
}

}  // namespace

bool is_own_process() noexcept {
    return standing.load(std::memory_order_relaxed) != Standing::child;
}

void require_usable() {
    const auto now = standing.load(std::memory_order_relaxed);
    if (now != Standing::usable) {
        refuse(now);
    }
}

void begin_to_use() {
    require_usable();
    int initialized = 0;
    check(MPI_Initialized(&initialized), "MPI_Initialized");
    if (initialized == 0) {
        throw Misuse("MPI has not been initialized in this process: call MPI_Init first");
    }
    if (!is_usable()) {
        refuse(Standing::finalized);
    }
    [[maybe_unused]] static const bool noticed = (before_finalize(note_finalization), true);
}

bool is_usable() noexcept {
    int finalized = 0;
    return is_own_process() && MPI_Finalized(&finalized) == MPI_SUCCESS && finalized == 0;
}

bool may_call_here() noexcept {
    int level = MPI_THREAD_SINGLE;
    int is_main = 1;
    MPI_Query_thread(&level);
    if (level < MPI_THREAD_SERIALIZED) {
        MPI_Is_thread_main(&is_main);
    }
    return is_main != 0;
}

// MPI 4.1, 11.4.1: the first thing that MPI_Finalize does is to delete the attributes of
// MPI_COMM_SELF.
void before_finalize(Work work) {
    int key = MPI_KEYVAL_INVALID;
    check(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, transrank_finalize, &key, nullptr),
          "MPI_Comm_create_keyval");
    check(MPI_Comm_set_attr(MPI_COMM_SELF, key, reinterpret_cast<void*>(work)),
          "MPI_Comm_set_attr");
}

void keep_for_ever(std::shared_ptr<void> memory) {
    static std::mutex mutex;
    static auto* const kept = new std::forward_list<std::shared_ptr<void>>;  // never destroyed
    const std::lock_guard lock(mutex);
    kept->push_front(std::move(memory));
}

}  // namespace transrank::mpi
