// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include <algorithm>
#include <array>
#include <getopt.h>
#include <string_view>

#include "lab/text/numbers.hpp"
#include "lab/text/sizes.hpp"

namespace transrank::lab::runner {
namespace {

struct Choice {
    const char* name;
    const char* argument;  ///< nullptr: the option takes none
    const char* help;
    void (*apply)(Options& options, const std::string& name, std::string_view value);
};

[[noreturn]] void refuse(const std::string& option, std::string_view value,
                         const std::string& wanted) {
    throw UsageError("--" + option + " '" + std::string(value) + "': " + wanted);
}

template <class Number>
Number number(const std::string& option, std::string_view value, Number least) {
    const auto parsed = text::number_in<Number>(value);
    if (!parsed || !(*parsed >= least)) {
        refuse(option, value, "a number of at least " + std::to_string(least) + " is needed");
    }
    return *parsed;
}

template <class Kind>
Kind choose(const std::string& option, std::string_view value,
            std::initializer_list<std::pair<std::string_view, Kind>> known) {
    std::string names;
    for (const auto& [name, kind] : known) {
        if (name == value) {
            return kind;
        }
        names += " " + std::string(name);
    }
    refuse(option, value, "known:" + names);
}

CoreBounds core_bounds(const std::string& option, std::string_view value) {
    const auto parts = text::split_list(value);
    if (parts.size() != 3) {
        refuse(option, value, "three times are needed");
    }
    const auto seconds = [&](std::size_t i) { return number(option, parts[i], 0.0); };
    return {.least_latency_seconds = seconds(0),
            .most_latency_seconds = seconds(1),
            .most_work_seconds = seconds(2)};
}

// Elements of every datatype stay aligned.
std::int64_t buffer_offset(const std::string& option, std::string_view value) {
    const std::int64_t bytes = text::parse_size(value);
    if (bytes % 8 != 0 || bytes >= 4096) {
        refuse(option, value, "a multiple of 8 below 4096 is needed");
    }
    return bytes;
}

void add_axis(Options& options, const std::string& name, std::string_view value) {
    const auto equals = value.find('=');
    if (equals == std::string_view::npos || equals == 0) {
        refuse(name, value, "write NAME=VALUE,VALUE");
    }
    options.selection.axes[std::string(value.substr(0, equals))] =
        text::split_list(value.substr(equals + 1));
}

using measure::CacheMode;
using measure::RecordingKind;
using measure::SynchronisationKind;

constexpr std::array choices{
    Choice{"study", "A,B", "studies to measure, one after the other",
           [](Options& o, const std::string&, std::string_view v) {
               o.studies = text::split_list(v);
           }},
    Choice{
        "sizes", "LIST",
        "message or buffer sizes: a list (1KiB,64KiB), a range that doubles (0..4MiB: 0, 1, 2, 4 "
        "...), or a range with another factor (8..4MiB:x4)",
        [](Options& o, const std::string&, std::string_view v) {
            o.selection.sizes = text::parse_sizes(v);
        }},
    Choice{"axis", "NAME=A,B",
           "measure only these values of an axis (parameter) of a study, such as "
           "operation=allreduce,barrier; may be repeated",
           add_axis},
    Choice{"only", "FILE", "measure only the cases whose IDs are in FILE, one per line",
           [](Options& o, const std::string&, std::string_view v) { o.only_file = v; }},
    Choice{"record", "FILE", "append the results to FILE, as JSON lines",
           [](Options& o, const std::string&, std::string_view v) { o.record_path = v; }},
    Choice{
        "launch", "N", "number of this launch within its run, stored in each line (default: 0)",
        [](Options& o, const std::string& n, std::string_view v) { o.launch = number(n, v, 0); }},
    Choice{
        "ranks-per-node", "N",
        "number of ranks per node, stored in each line and used by --plan (default: 0, chosen by "
        "the launcher)",
        [](Options& o, const std::string& n, std::string_view v) {
            o.ranks_per_node = number(n, v, 0);
        }},
    Choice{"seed", "N", "seed for random case order and message contents (default: 1)",
           [](Options& o, const std::string& n, std::string_view v) {
               o.seed = number(n, v, std::uint64_t{0});
           }},
    Choice{"precision", "X",
           "stop a case when the width of its median's 95 % interval, divided by the median, is at "
           "most X (default: 0.02)",
           [](Options& o, const std::string& n, std::string_view v) {
               o.precision = number(n, v, 1e-6);
           }},
    Choice{
        "max-time", "S",
        "stop a case after S seconds of measuring it in this launch, even if it is not precise yet "
        "(default: 1)",
        [](Options& o, const std::string& n, std::string_view v) {
            o.max_seconds = number(n, v, 1e-6);
        }},
    Choice{"count", "N",
           "stop each case after N operations, instead of by --precision or --max-time",
           [](Options& o, const std::string& n, std::string_view v) {
               o.count = number(n, v, std::int64_t{1});
           }},
    Choice{
        "cores", "S,S,S",
        "count only rounds of a case after which moving a cache line between two cores takes from "
        "the first to the second S, and a fixed amount of work at most the third S (seconds); "
        "measure until enough rounds count, or until --max-time",
        [](Options& o, const std::string& n, std::string_view v) { o.cores = core_bounds(n, v); }},
    Choice{"cache", "MODE",
           "state of the buffers before each sample. warm: reused as they are; rewritten: just "
           "written; cold: flushed (default: warm)",
           [](Options& o, const std::string& n, std::string_view v) {
               o.cache = choose<CacheMode>(n, v,
                                           {{"warm", CacheMode::warm},
                                            {"rewritten", CacheMode::rewritten},
                                            {"cold", CacheMode::cold}});
           }},
    Choice{"buffer-offset", "BYTES",
           "buffers begin BYTES after a page boundary; malloc starts large "
           "buffers at byte 16 (default: 0)",
           [](Options& o, const std::string& n, std::string_view v) {
               o.buffer_offset = buffer_offset(n, v);
           }},
    Choice{
        "sync", "METHOD",
        "how ranks start a sample. barrier: after a barrier; clock: at a set time on synchronized "
        "clocks (default: barrier)",
        [](Options& o, const std::string& n, std::string_view v) {
            o.synchronisation = choose<SynchronisationKind>(
                n, v,
                {{"barrier", SynchronisationKind::barrier}, {"clock", SynchronisationKind::clock}});
        }},
    Choice{"record-samples", "WHOSE",
           "times to store for each sample. slowest: of the slowest and the fastest rank; "
           "ranks: also of every rank (default: slowest)",
           [](Options& o, const std::string& n, std::string_view v) {
               o.recording.kind = choose<RecordingKind>(
                   n, v, {{"slowest", RecordingKind::slowest}, {"ranks", RecordingKind::ranks}});
           }},
    Choice{"list-ranks", "N",
           "store each rank's median, minimum and mean in cases of up to N ranks, otherwise only "
           "quantiles and extreme ranks; studies that compare ranks always store each rank's "
           "(default: 256)",
           [](Options& o, const std::string& n, std::string_view v) {
               o.recording.most_listed = number(n, v, 1);
           }},
    Choice{"memory", "BYTES",
           "limit on the buffers of each rank; cases that need more memory are skipped (default: "
           "1GiB)",
           [](Options& o, const std::string&, std::string_view v) {
               o.memory_bytes = text::parse_size(v);
           }},
    Choice{"watchdog", "S", "end the job if no case advances for S seconds (default: never)",
           [](Options& o, const std::string& n, std::string_view v) {
               o.watchdog_seconds = number(n, v, 0.0);
           }},
    Choice{
        "ranks", "N",
        "number of ranks for --list-cases, and for --plan of an alltoall or a halo without PARTS "
        "(default: 2)",
        [](Options& o, const std::string& n, std::string_view v) { o.ranks = number(n, v, 1); }},
    Choice{"list", nullptr,
           "print the studies as one JSON array and stop: names, summaries, axes with their "
           "values, numbers of ranks; no MPI needed",
           [](Options& o, const std::string&, std::string_view) { o.action = Action::list; }},
    Choice{"list-cases", nullptr,
           "print the selected cases and stop, one JSON object per line: study, case, axes, reason "
           "for skipping it; no MPI needed",
           [](Options& o, const std::string&, std::string_view) { o.action = Action::list_cases; }},
    Choice{
        "list-settings", nullptr, "print the names of the MPI library's control variables and stop",
        [](Options& o, const std::string&, std::string_view) { o.action = Action::list_settings; }},
    Choice{
        "plan", "WHAT",
        "print the cells or blocks that each rank moves, one JSON object per line, and stop. "
        "No MPI is needed, except for halo without PARTS. WHAT is one of:\n"
        "GRID,FROM,TO[,RANK]: a redistribution between two numbers of parts per dimension, such "
        "as 512x1024x16,2x4,4x2;\n"
        "halo,GRID,PARTS,WIDTHS,PERIODIC,SHAPE: an update of halos, such as "
        "halo,64x64,2x2,1x1,1x0,box. SHAPE is box (with corners) or star (without). If PARTS is "
        "empty, MPI divides the grid among --ranks;\n"
        "ghosts: an update of ghost rows, from stdin, which has a line for each rank: the number "
        "of rows that it owns, and the indices of its ghosts;\n"
        "routes,FOLDER: the routes saved in FOLDER;\n"
        "alltoall,BYTES[,ALGORITHM]: an alltoall among --ranks with blocks of BYTES",
        [](Options& o, const std::string&, std::string_view v) {
            o.action = Action::plan;
            o.plan = v;
        }},
    Choice{
        "probe", nullptr,
        "print the MPI library, the placement of the ranks and the clock as one JSON object, and "
        "stop",
        [](Options& o, const std::string&, std::string_view) { o.action = Action::probe; }},
    Choice{"stamp", "HOW",
           "print one JSON object per process and stop: entered (seconds since the epoch, at "
           "main()), initialised (the same after MPI_Init, or null), host, pid, rank. HOW is plain "
           "(no MPI call) or init (MPI_Init)",
           [](Options& o, const std::string& n, std::string_view v) {
               o.action = Action::stamp;
               o.stamp_initialises = choose<bool>(n, v, {{"plain", false}, {"init", true}});
           }},
    Choice{"version", nullptr, "print the versions of transrank and of the MPI library and stop",
           [](Options& o, const std::string&, std::string_view) { o.action = Action::version; }},
    Choice{"help", nullptr, "print this text and stop",
           [](Options& o, const std::string&, std::string_view) { o.action = Action::help; }},
};

void check(const Options& options) {
    if (options.action == Action::measure || options.action == Action::list_cases) {
        if (options.studies.empty()) {
            throw UsageError("no --study given; transrank-run --list shows them");
        }
    }
    if (options.action == Action::measure && options.record_path.empty()) {
        throw UsageError("no --record given; results go to a record file only");
    }
}

}  // namespace

Options parse_options(int argc, char** argv) {
    std::vector<option> accepted;
    for (const auto& choice : choices) {
        const int takes = choice.argument == nullptr ? no_argument : required_argument;
        accepted.push_back({.name = choice.name, .has_arg = takes, .flag = nullptr, .val = 0});
    }
    accepted.push_back({});
    Options options;
    options.command.assign(argv, argv + argc);
    opterr = 0;
    for (int index = 0;;) {
        const int found = getopt_long(argc, argv, "", accepted.data(), &index);
        if (found == -1) {
            break;
        }
        if (found == '?') {
            throw UsageError("unknown or incomplete option '" + std::string(argv[optind - 1]) +
                             "'; see transrank-run --help");
        }
        const auto& choice = choices.at(static_cast<std::size_t>(index));
        try {
            choice.apply(options, choice.name, optarg == nullptr ? "" : optarg);
        } catch (const std::invalid_argument& error) {
            throw UsageError("--" + std::string(choice.name) + ": " + error.what());
        }
    }
    if (optind < argc) {
        throw UsageError("unexpected argument '" + std::string(argv[optind]) + "'");
    }
    check(options);
    return options;
}

namespace {

/// Words in lines of up to 80 characters; the first begins at `column` already, so do the others.
std::string wrapped(std::string_view words, std::size_t column) {
    const std::size_t most = 80 - column;
    std::string text;
    for (;;) {
        const auto end = std::min(words.find('\n'), words.size());
        const auto space = end > most ? words.rfind(' ', most) : end;
        const auto cut = std::min(space, end);  // a word that is too long stays whole, and its line
        text += words.substr(0, cut);
        if (cut == words.size()) {
            return text;
        }
        text += '\n' + std::string(column, ' ');
        words.remove_prefix(cut + 1);
    }
}

}  // namespace

std::string help_text() {
    std::string text =
        "usage: mpiexec -n RANKS transrank-run --study A,B --record FILE [options]\n"
        "Measures MPI and appends one JSON line per finished case to FILE. The command\n"
        "transrank starts this program; it can also be started by hand.\n\n";
    for (const auto& choice : choices) {
        std::string left = "  --" + std::string(choice.name);
        if (choice.argument != nullptr) {
            left += ' ';
            left += choice.argument;
        }
        left.resize(std::max<std::size_t>(left.size() + 2, 30), ' ');
        text += left + wrapped(choice.help, left.size()) + '\n';
    }
    return text + "\nexit status: 0 done, 2 wrong usage, 3 failed (see stderr)\n";
}

}  // namespace transrank::lab::runner
