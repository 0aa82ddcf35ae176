// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/mpi/agreement.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <new>
#include <numeric>

#include "transrank/mpi/collectives.hpp"
#include "transrank/mpi/communicator_pool.hpp"
#include "transrank/mpi/lifetime.hpp"

namespace transrank::mpi {
namespace {

// A short text comes at once, and needs no memory on its way.
struct Head {
    std::uint64_t bytes = 0;
    std::array<char, 504> text{};
};

// The text of rank `speaker`, on every rank.
std::string broadcast(const Communicator& comm, std::string_view own, int speaker) {
    Head head{.bytes = own.size()};
    std::ranges::copy(own.substr(0, head.text.size()), head.text.begin());
    mpi::broadcast(comm, std::as_writable_bytes(std::span(&head, 1)), speaker);
    if (head.bytes <= head.text.size()) {
        return {head.text.data(), head.bytes};
    }
    std::string text(own);
    text.resize(head.bytes);
    mpi::broadcast(comm, std::as_writable_bytes(std::span(text)), speaker);
    return text;
}

std::string rank_that(int rank, const char* has_failed) {
    return "rank " + std::to_string(rank) + " " + has_failed;
}

// Words may hold anything, so each is preceded by its length.
std::string joined(const Words& words) {
    std::string text;
    for (const auto& word : words) {
        text += std::to_string(word.size()) + ":" + word;
    }
    return text;
}

// The first word of what `joined` has made, which is taken off; as much of it as there is.
std::string take_word(std::string& text) {
    const auto colon = text.find(':');
    if (colon == std::string::npos) {
        return "nothing more";
    }
    const auto bytes = std::stoull(text);
    auto word = text.substr(colon + 1, bytes);
    text.erase(0, colon + 1 + word.size());
    return word;
}

// The text of what is thrown; none where memory is lacking.
std::string text_of_current(int rank) noexcept {
    try {
        throw;
    } catch (const std::bad_alloc&) {
        return {};
    } catch (const std::exception& error) {
        try {
            return error.what();
        } catch (...) {
            return {};
        }
    } catch (...) {  // whatever it is, the others wait for a word
        try {
            return rank_that(rank, "threw something other than a std::exception");
        } catch (...) {
            return {};
        }
    }
}

// What was said before, and these words (FNV-0).
std::uint64_t said(std::uint64_t before, std::string_view word) {
    constexpr std::uint64_t prime = 0x100'0000'01B3;
    for (const char each : word) {
        before = (before ^ static_cast<unsigned char>(each)) * prime;
    }
    return (before ^ word.size()) * prime;
}

std::uint64_t said(std::uint64_t before, const Words& words) {
    return std::accumulate(words.begin(), words.end(), before,
                           [](std::uint64_t all, const auto& word) { return said(all, word); });
}

// Each rank adds what it says, and takes away what the rank before it should say.
std::uint64_t balance_of(const Communicator& comm, std::uint64_t said) {
    const auto next = (comm.rank() + 1) % comm.size();
    return mixed(said + mixed(static_cast<std::uint64_t>(comm.rank()))) -
           mixed(said + mixed(static_cast<std::uint64_t>(next)));
}

// Collective. Throws AgreedError on every rank when some ranks make different calls.
void agree_on_call(const Communicator& comm) {
    const std::string own(comm.state()->call);
    const auto first = broadcast(comm, own, 0);
    throw_first(comm, own != first,
                "rank " + std::to_string(comm.rank()) + " calls " + own + ", rank 0 " + first +
                    ": all ranks of the communicator must make the same calls in the same order");
}

// Throws on every rank when these words are not those of rank 0 on some rank. Where some rank
// refuses, it may have none.
void compare(const Communicator& comm, std::string_view what, const Words& words,
             bool may_be_missing = false) {
    auto first = broadcast(comm, joined(words), 0);
    agree(comm, [&] {
        if (may_be_missing && (first.empty() || words.empty())) {
            return;
        }
        const auto check = [&](const std::string& own) {
            const auto theirs = take_word(first);
            if (own != theirs) {
                throw std::invalid_argument("rank " + std::to_string(comm.rank()) + " " +
                                            std::string(what) + " " + own + ", rank 0 " + theirs +
                                            "; these must be equal on all ranks");
            }
        };
        std::ranges::for_each(words, check);
        check("nothing more");
    });
}

}  // namespace

void throw_first(const Communicator& comm, bool failed, const std::string& text) {
    constexpr std::size_t longest_bytes = std::size_t{1} << 20U;
    const int speaker = reduced(comm, failed ? comm.rank() : comm.size(), MPI_MIN);
    if (speaker < comm.size()) {
        const auto heard =
            broadcast(comm, std::string_view(text).substr(0, longest_bytes), speaker);
        throw AgreedError(heard.empty() ? rank_that(speaker, "has too little memory left for this")
                                        : heard);
    }
}

std::uint64_t balance_of(const Communicator& comm, const Words& words) {
    return balance_of(comm, said(0, words));
}

void meet(const Communicator& comm, std::span<std::uint64_t> sums) {
    require_usable();
    std::array<std::uint64_t, 1 + most_sums> words{balance_of(comm, said(0, comm.state()->call))};
    std::ranges::copy(sums, words.begin() + 1);
    reduce(comm, std::span(words), MPI_SUM);
    if (words.front() != 0) {
        agree_on_call(comm);
    }
    std::copy_n(words.begin() + 1, sums.size(), sums.begin());
}

void agree_on(const Communicator& comm, std::string_view what, const std::function<Words()>& work,
              const Words& given, std::span<std::uint64_t> sums) {
    Words made;
    std::string refusal;
    bool failed = false;
    try {
        made = work();
    } catch (...) {
        failed = true;
        refusal = text_of_current(comm.rank());
    }
    std::array<std::uint64_t, most_sums> all{failed ? 1U : 0U,
                                             balance_of(comm, said(said(0, given), made))};
    std::ranges::copy(sums, all.begin() + 2);
    meet(comm, std::span(all).first(2 + sums.size()));
    std::copy_n(all.begin() + 2, sums.size(), sums.begin());
    const auto [refusals, balance] = std::pair(all[0], all[1]);
    if (balance != 0) {
        compare(comm, what, given, refusals != 0);
    }
    if (refusals != 0) {
        throw_first(comm, failed, refusal);
    }
    if (balance != 0) {
        compare(comm, what, made);
    }
}

}  // namespace transrank::mpi
