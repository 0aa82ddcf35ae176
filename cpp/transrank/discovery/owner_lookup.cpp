// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/discovery/owner_lookup.hpp"

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <utility>

#include "transrank/discovery/messages.hpp"
#include "transrank/layout/distribution.hpp"
#include "transrank/layout/require.hpp"
#include "transrank/mpi/agreement.hpp"

namespace transrank::discovery {
namespace {

using layout::Distribution;
using layout::IndexRange;
using mpi::Message;

enum class Asks : std::int64_t { nothing, listed, everything };

/// What a rank has to do with one share of the rows. Where it asks for listed ones, their ranges
/// follow.
struct Question {
    std::int64_t begin = 0;  ///< its own rows, if some of them lie in the share
    std::int64_t end = 0;
    Asks asks = Asks::nothing;
};

/// What a rank asks of one share.
struct Wanted {
    int share = 0;
    /// Ranges of rows, or nothing where it is everything: then they would be no fewer than ranks,
    /// and so no fewer than the owners that an answer can hold.
    std::vector<IndexRange> rows;
    bool everything = false;
};

void sort_and_unite(std::vector<int>& shares) {
    std::ranges::sort(shares);
    const auto repeated = std::ranges::unique(shares);
    shares.erase(repeated.begin(), repeated.end());
}

// Rows less than this apart are asked for as one range, so that a question stays short. The answer
// may name further owners only where they have fewer rows than this.
constexpr std::int64_t near = 64;

// Whether an index makes a range longer, or lies in it already.
bool continues(const IndexRange& range, std::int64_t index) {
    return index >= range.begin && index - range.end < near;
}

void add(IndexRange range, std::size_t most, Wanted& wanted) {
    if (wanted.everything) {
        return;
    }
    if (!wanted.rows.empty() && continues(wanted.rows.back(), range.begin)) {
        wanted.rows.back().end = std::max(wanted.rows.back().end, range.end);
    } else if (wanted.rows.size() < most) {
        wanted.rows.push_back(range);
    } else {
        wanted.everything = true;
        wanted.rows = {};
    }
}

// Ascending by share.
std::vector<Wanted> wanted_of(std::span<const std::int64_t> indices, const Distribution& shares) {
    std::vector<Wanted> wanted;
    std::unordered_map<int, std::size_t> places;
    const auto most = static_cast<std::size_t>(shares.parts());
    layout::Stretch share;  // where the last index was found
    std::size_t place = 0;
    for (auto next = indices.begin(); next != indices.end();) {
        if (!share.range.contains(*next)) {
            share = shares.stretch(*next);
            place = places.try_emplace(share.part, wanted.size()).first->second;
            if (place == wanted.size()) {
                wanted.push_back({.share = share.part, .rows = {}});
            }
        }
        IndexRange range{.begin = *next, .end = *next + 1};
        const std::int64_t end = share.range.end;
        for (++next; next != indices.end() && continues(range, *next) && *next < end; ++next) {
            range.end = std::max(range.end, *next + 1);
        }
        add(range, most, wanted[place]);
    }
    std::ranges::sort(wanted, {}, &Wanted::share);
    return wanted;
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

// Of ascending owners those that have some of the rows.
std::vector<OwnerRange> owners_of(std::span<const IndexRange> rows,
                                  std::span<const OwnerRange> owners) {
    std::vector<OwnerRange> found;
    for (const auto& range : rows) {
        auto next = std::ranges::upper_bound(owners, range.begin, {}, &OwnerRange::end);
        for (; next != owners.end() && next->begin < range.end; ++next) {
            if (found.empty() || found.back().owner != next->owner) {
                found.push_back(*next);
            }
        }
    }
    return found;
}

// They are of ranks in ascending order.
void check_follow_each_other(const IndexRange& share, std::span<const OwnerRange> owners) {
    const std::int64_t first = owners.empty() ? share.end : owners.front().begin;
    const std::int64_t end = owners.empty() ? share.end : owners.back().end;
    const auto gap = std::ranges::adjacent_find(
        owners, [](const auto& one, const auto& next) { return one.end != next.begin; });
    layout::require(
        (share.length() == 0 || first <= share.begin) && end >= share.end && gap == owners.end(),
        "rows ", layout::counted(share.begin), " to ", layout::counted(share.end - 1),
        " have no owner, or more than one: the ranks pass different numberings; make one together, "
        "on this communicator");
}

}  // namespace

std::vector<Message> write_questions(int ranks, const IndexRange& owned, std::int64_t extent,
                                     std::span<const std::int64_t> indices) {
    const auto shares = Distribution::even(extent, ranks);
    const auto wanted = wanted_of(indices, shares);
    const auto told = shares_of(owned, shares);
    std::vector<int> concerned(told);
    std::ranges::transform(wanted, std::back_inserter(concerned), &Wanted::share);
    sort_and_unite(concerned);
    std::vector<Message> messages;
    messages.reserve(concerned.size());
    for (const int share : concerned) {
        Question question;
        if (std::ranges::binary_search(told, share)) {
            question.begin = owned.begin;
            question.end = owned.end;
        }
        const auto asked = std::ranges::lower_bound(wanted, share, {}, &Wanted::share);
        const bool asks = asked != wanted.end() && asked->share == share;
        if (asks) {
            question.asks = asked->everything ? Asks::everything : Asks::listed;
        }
        Writer writer;
        writer.add(question);
        if (question.asks == Asks::listed) {
            writer.add_all(std::span(std::as_const(asked->rows)));
        }
        messages.push_back(std::move(writer).to(share));
    }
    return messages;
}

std::vector<Message> answer_questions(const IndexRange& share, std::span<const Message> questions) {
    std::vector<OwnerRange> owners;
    for (const auto& message : questions) {
        const auto question = Reader(message).take<Question>();
        if (question.begin < question.end) {
            owners.push_back({.owner = message.peer, .begin = question.begin, .end = question.end});
        }
    }
    check_follow_each_other(share, owners);
    std::vector<Message> answers;
    for (const auto& message : questions) {
        Reader reader(message);
        const auto asks = reader.take<Question>().asks;
        if (asks == Asks::nothing) {
            continue;
        }
        Writer writer;
        if (asks == Asks::everything) {
            writer.add_all(std::span(std::as_const(owners)));
        } else {
            const auto found = owners_of(reader.take_all<IndexRange>(), owners);
            writer.add_all(std::span(found));
        }
        answers.push_back(std::move(writer).to(message.peer));
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
    auto answers = mpi::agreed(comm, [&] {
        const auto share = Distribution::even(extent, comm.size()).range(comm.rank());
        return answer_questions(share, asked);
    });
    const auto answered = deliver(comm, std::move(answers), Subject::owners_answered);
    return mpi::agreed(comm, [&] { return read_answers(answered); });
}

}  // namespace transrank::discovery
