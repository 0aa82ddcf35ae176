// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/mpi/agreement.hpp"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <new>

#include "transrank/mpi/communicator_pool.hpp"
#include "transrank/mpi/error.hpp"
#include "transrank/mpi/lifetime.hpp"

namespace transrank::mpi {
namespace {

// The words of rank `speaker`, on every rank.
std::string broadcast(const Communicator& comm, std::string words, int speaker) {
    auto bytes = static_cast<int>(words.size());
    check(MPI_Bcast(&bytes, 1, MPI_INT, speaker, comm.handle()), "MPI_Bcast");
    words.resize(static_cast<std::size_t>(bytes));
    check(MPI_Bcast(words.data(), bytes, MPI_CHAR, speaker, comm.handle()), "MPI_Bcast");
    return words;
}

// Words may hold anything, so each is preceded by its length.
std::string joined(const std::vector<std::string>& words) {
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

}  // namespace

void agree(const Communicator& comm, const std::function<void()>& work) {
    require_usable();
    constexpr std::size_t longest_bytes = std::size_t{1} << 20U;
    std::string words;
    int own = comm.size();
    const auto rank_that = [&](const char* has_failed) {
        return "rank " + std::to_string(comm.rank()) + " " + has_failed;
    };
    try {
        work();
    } catch (const std::bad_alloc&) {
        words = rank_that("has too little memory left for this");
        own = comm.rank();
    } catch (const std::exception& error) {
        words = error.what();
        own = comm.rank();
    } catch (...) {  // whatever it is, the others wait for a word
        words = rank_that("threw something other than a std::exception");
        own = comm.rank();
    }
    int speaker = 0;
    check(MPI_Allreduce(&own, &speaker, 1, MPI_INT, MPI_MIN, comm.handle()), "MPI_Allreduce");
    if (speaker < comm.size()) {
        words.resize(std::min(words.size(), longest_bytes));
        throw AgreedError(broadcast(comm, words, speaker));
    }
}

// Each rank adds what it says, and takes away what the rank before it should say.
std::uint64_t balance_of(const Communicator& comm, const std::vector<std::string>& words) {
    constexpr std::uint64_t prime = 0x100'0000'01B3;  // FNV-1a
    std::uint64_t said = 0xCBF2'9CE4'8422'2325;
    for (const char each : joined(words)) {
        said = (said ^ static_cast<unsigned char>(each)) * prime;
    }
    const auto next = (comm.rank() + 1) % comm.size();
    return mixed(said + mixed(static_cast<std::uint64_t>(comm.rank()))) -
           mixed(said + mixed(static_cast<std::uint64_t>(next)));
}

void agree_on(const Communicator& comm, const std::string& what,
              const std::vector<std::string>& words) {
    require_usable();
    auto balance = balance_of(comm, words);
    check(MPI_Allreduce(MPI_IN_PLACE, &balance, 1, MPI_UINT64_T, MPI_SUM, comm.handle()),
          "MPI_Allreduce");
    if (balance == 0) {
        return;
    }
    auto first = broadcast(comm, joined(words), 0);
    agree(comm, [&] {
        const auto compare = [&](const std::string& own) {
            const auto theirs = take_word(first);
            if (own != theirs) {
                throw std::invalid_argument("rank " + std::to_string(comm.rank()) + " " + what +
                                            " " + own + ", rank 0 " + theirs);
            }
        };
        std::ranges::for_each(words, compare);
        compare("nothing more");
    });
}

}  // namespace transrank::mpi
