// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/collective/choices.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <span>
#include <sstream>
#include <system_error>

#include "transrank/collective/method.hpp"
#include "transrank/layout/require.hpp"
#include "transrank/mpi/agreement.hpp"
#include "transrank/mpi/collectives.hpp"
#include "transrank/mpi/library.hpp"

namespace transrank::collective {
namespace {

using layout::refuse;
using layout::require;

constexpr std::string_view title = "transrank alltoall choices 1";
constexpr std::int64_t most_bytes = 1 << 20;  // of a file

using Words = std::vector<std::string>;

Words words_of(const std::string& line) {
    std::istringstream rest(line.substr(0, line.find('#')));
    Words words;
    for (std::string word; rest >> word;) {
        words.push_back(word);
    }
    return words;
}

/// The lines of a file without comments and empty lines.
class Lines {
public:
    Lines(const std::string& path, const std::string& text) : path_(path), text_(text) {}

    /// The words of the next line; throws at the end of the file.
    Words next() {
        for (std::string line; std::getline(text_, line);) {
            ++number_;
            if (auto words = words_of(line); !words.empty()) {
                return words;
            }
        }
        refuse(path_, " ends in line ", number_,
               " without 'end': it is truncated; run transrank tune again");
    }

    /// The value in the next line, `name VALUE`.
    std::string value(std::string_view name) {
        const auto words = next();
        require(words.size() == 2 && words.front() == name, where(), "expected '", name, " VALUE'");
        return words.back();
    }

    std::int64_t number(const std::string& word, std::int64_t least) const {
        std::int64_t value = 0;
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
        require(error == std::errc{} && end == word.data() + word.size() && value >= least, where(),
                "'", word, "' is not an integer of at least ", least);
        return value;
    }

    int count(std::string_view name, std::int64_t least) {
        const auto found = number(value(name), least);
        require(found <= most_count, where(), found, " is too many");
        return static_cast<int>(found);
    }

    [[nodiscard]] std::string where() const {
        return path_ + ", line " + std::to_string(number_) + ": ";
    }

private:
    static constexpr std::int64_t most_count = 1 << 30;

    std::string path_;
    std::istringstream text_;
    int number_ = 0;
};

void check_algorithm(const Lines& lines, const std::string& name, int ranks) {
    try {
        (void)choose(name, {.ranks = ranks},
                     {.on_one_node = true, .shared_arrays = true, .equal_blocks = true});
    } catch (const std::invalid_argument& error) {
        refuse(lines.where(), error.what());
    }
    require(name != automatic, lines.where(), "'auto' cannot choose itself");
}

std::string content_of(const std::string& path) {
    // A pipe that nobody writes to would keep its reader waiting.
    std::error_code ignored;  // what cannot be looked at cannot be opened either
    const auto kind = std::filesystem::status(path, ignored);
    require(!std::filesystem::exists(kind) || std::filesystem::is_regular_file(kind), path,
            " is not a regular file, so it holds no alltoall choices");
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    require(file.good(), path, ": ", std::strerror(errno),
            "; it cannot be read for alltoall choices");
    const std::int64_t bytes = file.tellg();
    require(bytes >= 0 && bytes <= most_bytes, path, " is not a file of alltoall choices");
    std::string text(static_cast<std::size_t>(bytes), '\0');
    file.seekg(0).read(text.data(), bytes);
    require(file.good() || bytes == 0, path, " cannot be read");
    return text;
}

std::string named_by(const std::string& path) {
    const char* variable = path.empty() ? std::getenv(choices_variable) : nullptr;
    return variable == nullptr ? path : variable;
}

// What rank 0 broadcasts: an error, or the path and the content of the file.
struct News {
    std::string wrong;
    std::string path;
    std::string text;

    static News of(const std::string& path) {
        News news{.wrong = "", .path = named_by(path), .text = ""};
        try {
            news.text = news.path.empty() ? "" : content_of(news.path);
        } catch (const std::exception& error) {
            news.wrong = error.what();
        }
        return news;
    }
};

void broadcast(const mpi::Communicator& comm, std::string& text, std::int64_t bytes) {
    text.resize(static_cast<std::size_t>(bytes));
    mpi::broadcast(comm, std::as_writable_bytes(std::span(text)), 0);
}

}  // namespace

Choices Choices::parse(const std::string& path, const std::string& text) {
    require(text.starts_with(title), path,
            " is not a file of alltoall choices: it must begin with '", title, "'");
    Lines lines(path, text);
    (void)lines.next();
    const auto measured = lines.value("mpi");
    const auto used = mpi::library_kind();
    require(measured == used, path, " was measured with ", measured, ", this program uses ", used,
            "; run transrank tune again");
    Choices found;
    found.ranks_ = lines.count("ranks", 1);
    found.ranks_per_node_ = lines.count("ranks-per-node", 1);
    const int rules = lines.count("rules", 0);
    for (int i = 0; i < rules; ++i) {
        const auto words = lines.next();
        require(words.size() == 4 && (words[0] == "shared" || words[0] == "private"), lines.where(),
                "expected 'shared|private FIRST LAST ALGORITHM'");
        const Rule rule{.shared = words[0] == "shared",
                        .first = lines.number(words[1], 0),
                        .last = lines.number(words[2], 0),
                        .algorithm = words[3]};
        require(rule.first <= rule.last, lines.where(), "the range of ", rule.first, " to ",
                rule.last, " bytes is empty");
        const bool twice = std::ranges::any_of(found.rules_, [&](const Rule& other) {
            return other.shared == rule.shared && other.first <= rule.last &&
                   rule.first <= other.last;
        });
        require(!twice, lines.where(), "some of these lengths have a rule already");
        check_algorithm(lines, rule.algorithm, found.ranks_);
        found.rules_.push_back(rule);
    }
    const bool ended = lines.next() == Words{"end"};
    require(ended, lines.where(), "expected 'end' after ", rules, " rules");
    return found;
}

std::string_view Choices::algorithm(const schedule::Problem& problem, bool shared_arrays,
                                    std::int64_t block_bytes) const {
    if (problem.ranks != ranks_ || problem.ranks_per_node != ranks_per_node_) {
        return {};
    }
    const auto rule = std::ranges::find_if(rules_, [&](const Rule& each) {
        return each.shared == shared_arrays && each.first <= block_bytes &&
               block_bytes <= each.last;
    });
    return rule == rules_.end() ? std::string_view{} : rule->algorithm;
}

std::optional<Choices> find_choices(const mpi::Communicator& comm, const std::string& path) {
    auto news = comm.rank() == 0 ? News::of(path) : News{};
    std::array<std::int64_t, 3> lengths{static_cast<std::int64_t>(news.wrong.size()),
                                        static_cast<std::int64_t>(news.path.size()),
                                        static_cast<std::int64_t>(news.text.size())};
    mpi::broadcast(comm, std::as_writable_bytes(std::span(lengths)), 0);
    if (lengths[1] == 0) {
        return std::nullopt;
    }
    broadcast(comm, news.wrong, lengths[0]);
    broadcast(comm, news.path, lengths[1]);
    broadcast(comm, news.text, lengths[2]);
    if (!news.wrong.empty()) {
        throw mpi::AgreedError(news.wrong);
    }
    return mpi::agreed(comm, [&] { return Choices::parse(news.path, news.text); });
}

}  // namespace transrank::collective
