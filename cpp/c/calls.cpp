// SPDX-License-Identifier: BSD-3-Clause
#include "c/calls.hpp"

#include <exception>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>

#include "transrank/mpi/error.hpp"
#include "transrank/transport/failure.hpp"

namespace transrank::c {
namespace {

/// Of one thread. Where there is no memory for it, a text that needs none.
struct ErrorText {
    std::string text;
    const char* shown = "";

    void set(const char* words) noexcept {
        try {
            text = words;
            shown = text.c_str();
        } catch (...) {
            shown = "there is no memory for the text of this error";
        }
    }
};

thread_local ErrorText last_error;

/// Of the next collective call of this thread.
thread_local std::optional<std::string> refusal;

int noted(int status, const std::exception& error) noexcept {
    last_error.set(error.what());
    return status;
}

}  // namespace

int note_error() noexcept {
    try {
        throw;
    } catch (const mpi::AgreedError& error) {
        return noted(TRANSRANK_ERROR_AGREED, error);
    } catch (const mpi::Misuse& error) {
        return noted(TRANSRANK_ERROR_MISUSE, error);
    } catch (const transport::BrokenExchange& error) {
        return noted(TRANSRANK_ERROR_BROKEN, error);
    } catch (const mpi::Error& error) {
        return noted(TRANSRANK_ERROR_MPI, error);
    } catch (const std::system_error& error) {
        return noted(TRANSRANK_ERROR_RESOURCES, error);
    } catch (const std::bad_alloc&) {
        last_error.set("there is not enough memory for this call");
        return TRANSRANK_ERROR_RESOURCES;
    } catch (const std::invalid_argument& error) {
        return noted(TRANSRANK_ERROR_ARGUMENT, error);
    } catch (const std::exception& error) {
        return noted(TRANSRANK_ERROR_INTERNAL, error);
    } catch (...) {
        last_error.set("something other than a std::exception was thrown");
        return TRANSRANK_ERROR_INTERNAL;
    }
}

RefusalEnd::~RefusalEnd() {
    refusal.reset();
}

Arguments::Arguments(int rank) : where_(" on rank " + std::to_string(rank)) {
    if (refusal) {
        throw std::invalid_argument("rank " + std::to_string(rank) + ": " + *refusal);
    }
}

int rank_of(MPI_Comm comm) {
    int rank = 0;
    mpi::check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
    return rank;
}

int ranks_of(MPI_Comm comm) {
    int ranks = 1;
    mpi::check(MPI_Comm_size(comm, &ranks), "MPI_Comm_size");
    return ranks;
}

void Arguments::refuse_handle(Kind wanted, const void* given) const {
    const char* found = "NULL";
    const char* remedy = "the error of the call that should have created it says why";
    if (const auto* place = find(given)) {
        found = name_of(place->kind);
        remedy = "pass a handle of that kind";
    } else if (given != nullptr) {
        found = "a handle that was freed";
        remedy = "free it after its last use";
    }
    layout::refuse("instead of ", name_of(wanted), " the call got ", found, where_, "; ", remedy);
}

}  // namespace transrank::c

const char* transrank_error_text() {
    return transrank::c::last_error.shown;
}

int transrank_refuse(const char* why) {
    return transrank::c::attempt(
        [&] { transrank::c::refusal = transrank::c::Arguments().pointer(why, "the reason"); });
}

const char* transrank_version() {
    return TRANSRANK_VERSION;
}

// NOLINTBEGIN(cppcoreguidelines-macro-usage)
#define FREE(name, handle)                   \
    int name(transrank_##handle** given) {   \
        return transrank::c::destroy(given); \
    }
FREE(transrank_distribution_free, distribution)
FREE(transrank_layout_free, layout)
FREE(transrank_numbering_free, numbering)
FREE(transrank_route_free, route)
FREE(transrank_exchange_free, exchange)
FREE(transrank_ghost_update_free, ghost_update)
FREE(transrank_shared_free_f, memory)
// NOLINTEND(cppcoreguidelines-macro-usage)
