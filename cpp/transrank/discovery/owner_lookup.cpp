// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/discovery/owner_lookup.hpp"

#include <algorithm>
#include <utility>

#include "transrank/discovery/messages.hpp"
#include "transrank/layout/distribution.hpp"
#include "transrank/mpi/agreement.hpp"

namespace transrank::discovery {
namespace {

using layout::Distribution;
using layout::IndexRange;
using mpi::Message;

/// What a rank has to do with one share of the rows.
struct Question {
    std::int64_t begin = 0;  ///< its own rows, if some of them lie in the share
    std::int64_t end = 0;
    std::int64_t asks = 0;  ///< whether it needs to know the owners in the share
};

void sort_and_unite(std::vector<int>& shares) {
    std::ranges::sort(shares);
    const auto repeated = std::ranges::unique(shares);
    shares.erase(repeated.begin(), repeated.end());
}

std::vector<int> shares_of(std::span<const std::int64_t> indices, const Distribution& shares) {
    std::vector<int> found;
    IndexRange last;
    for (const std::int64_t index : indices) {
        if (!last.contains(index)) {
            const auto stretch = shares.stretch(index);
            last = stretch.range;
            found.push_back(stretch.part);
        }
    }
    sort_and_unite(found);
    return found;
}

std::vector<int> shares_of(const IndexRange& owned, const Distribution& shares) {
    std::vector<int> found;
    for (std::int64_t begin = owned.begin; begin < owned.end;) {
        const auto stretch = shares.stretch(begin);
        found.push_back(stretch.part);
        begin = stretch.range.end;
    }
    return found;
}

}  // namespace

std::vector<Message> write_questions(int ranks, const IndexRange& owned, std::int64_t extent,
                                     std::span<const std::int64_t> indices) {
    const auto shares = Distribution::even(extent, ranks);
    const auto needed = shares_of(indices, shares);
    const auto told = shares_of(owned, shares);
    std::vector<int> concerned(needed);
    concerned.insert(concerned.end(), told.begin(), told.end());
    sort_and_unite(concerned);
    std::vector<Message> messages;
    messages.reserve(concerned.size());
    for (const int share : concerned) {
        Question question{.asks = std::ranges::binary_search(needed, share) ? 1 : 0};
        if (std::ranges::binary_search(told, share)) {
            question.begin = owned.begin;
            question.end = owned.end;
        }
        Writer writer;
        writer.add(question);
        messages.push_back(std::move(writer).to(share));
    }
    return messages;
}

std::vector<Message> answer_questions(std::span<const Message> questions) {
    std::vector<OwnerRange> owners;
    std::vector<int> asking;
    for (const auto& message : questions) {
        const auto question = Reader(message).take<Question>();
        if (question.begin < question.end) {
            owners.push_back({.owner = message.peer, .begin = question.begin, .end = question.end});
        }
        if (question.asks != 0) {
            asking.push_back(message.peer);
        }
    }
    std::vector<Message> answers;
    answers.reserve(asking.size());
    for (const int rank : asking) {
        Writer writer;
        writer.add_all(std::span(std::as_const(owners)));
        answers.push_back(std::move(writer).to(rank));
    }
    return answers;
}

std::vector<OwnerRange> read_answers(std::span<const Message> answers) {
    std::vector<OwnerRange> owners;
    for (const auto& message : answers) {
        const auto known = Reader(message).take_all<OwnerRange>();
        owners.insert(owners.end(), known.begin(), known.end());
    }
    // An owner whose rows lie in several shares is named by each of them.
    std::ranges::sort(owners, {}, &OwnerRange::begin);
    const auto repeated = std::ranges::unique(owners, {}, &OwnerRange::begin);
    owners.erase(repeated.begin(), repeated.end());
    return owners;
}

std::vector<OwnerRange> look_up_owners(const mpi::Communicator& comm, const IndexRange& owned,
                                       std::int64_t extent, std::span<const std::int64_t> indices) {
    auto questions =
        mpi::agreed(comm, [&] { return write_questions(comm.size(), owned, extent, indices); });
    const auto asked = deliver(comm, std::move(questions), Subject::owners_asked);
    auto answers = mpi::agreed(comm, [&] { return answer_questions(asked); });
    const auto answered = deliver(comm, std::move(answers), Subject::owners_answered);
    return mpi::agreed(comm, [&] { return read_answers(answered); });
}

}  // namespace transrank::discovery
