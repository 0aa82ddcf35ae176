// SPDX-License-Identifier: BSD-3-Clause
#include "listing.hpp"

#include <mpi.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <set>
#include <system_error>
#include <vector>

#include "transrank/mpi/error.hpp"

namespace transrank::lab::runner {
namespace {

constexpr std::uintmax_t most_bytes = 64U << 20U;

// A pipe that nobody writes to, or a device without an end, would keep its reader.
std::set<std::string> read_only_list(const std::string& path) {
    std::error_code cause;
    const bool regular = std::filesystem::is_regular_file(path, cause);
    std::ifstream file(regular ? path : "");
    if (!file || std::filesystem::file_size(path, cause) > most_bytes) {
        throw UsageError(
            "--only " + path + ": it is " +
            (file ? "too long for a list of case ids" : "not a regular file that can be read"));
    }
    std::set<std::string> ids;
    for (std::string line; std::getline(file, line);) {
        if (!line.empty()) {
            ids.insert(line);
        }
    }
    if (ids.empty()) {
        throw UsageError("--only " + path + ": it has no case id");
    }
    return ids;
}

// What is wanted but not there would be left out in silence.
void keep_only(std::vector<std::vector<measure::Case>>& selected, const std::string& path) {
    const auto only = read_only_list(path);
    auto unknown = only;
    for (auto& cases : selected) {
        std::erase_if(cases, [&](const auto& point) {
            unknown.erase(point.id());
            return !only.contains(point.id());
        });
    }
    if (!unknown.empty()) {
        throw UsageError("--only " + path + ": no selected case is called '" +
                         unknown.begin()->substr(0, 200) + "'; --list-cases prints them");
    }
}

}  // namespace

std::string list_studies() {
    text::JsonWriter json;
    json.begin_array();
    for (const auto& study : study::all()) {
        json.begin_object();
        json.key("name").value(study.name).key("summary").value(study.summary);
        json.key("sizes").value(study.sizes);
        json.key("fewest_ranks").value(study.fewest_ranks);
        json.key("most_ranks").value(study.most_ranks);
        json.key("surveyed").value(study.surveyed);
        json.key("quick_sizes").value(study.quick_sizes);
        json.key("axes").begin_object();
        for (const auto& axis : study.axes()) {
            json.key(axis.name).array(axis.values);
        }
        json.end_object().key("quick").begin_object();
        for (const auto& axis : study.axes()) {
            if (!axis.quick.empty()) {
                json.key(axis.name).array(axis.quick);
            }
        }
        json.end_object().key("on_request").begin_object();
        for (const auto& axis : study.axes()) {
            const auto further = axis.further();
            if (!further.empty()) {
                json.key(axis.name).array(further);
            }
        }
        json.end_object().end_object();
    }
    return json.end_array().text();
}

std::vector<std::vector<measure::Case>> selected_cases(const Options& options, int ranks) {
    std::vector<std::vector<measure::Case>> selected;
    try {
        for (const auto& name : options.studies) {
            selected.push_back(study::select(study::find(name), options.selection, ranks,
                                             options.cache, options.memory_bytes));
        }
    } catch (const std::invalid_argument& error) {
        throw UsageError(error.what());
    }
    if (!options.only_file.empty()) {
        keep_only(selected, options.only_file);
    }
    return selected;
}

void write_identity(const measure::Case& point, text::JsonWriter& json) {
    json.key("study").value(point.study).key("case").value(point.id());
    json.key("axes").begin_object();
    for (const auto& axis : point.axes) {
        json.key(axis.name).value(axis.value);
    }
    json.end_object();
}

std::string list_cases(const Options& options) {
    std::string lines;
    for (const auto& cases : selected_cases(options, options.ranks)) {
        for (const auto& point : cases) {
            text::JsonWriter json;
            json.begin_object();
            write_identity(point, json);
            if (!point.skip_reason.empty()) {
                json.key("reason").value(point.skip_reason);
            }
            lines += json.end_object().text() + '\n';
        }
    }
    return lines;
}

std::string list_settings() {
    int level = MPI_THREAD_SINGLE;
    mpi::check(MPI_T_init_thread(MPI_THREAD_SINGLE, &level), "MPI_T_init_thread");
    int count = 0;
    mpi::check(MPI_T_cvar_get_num(&count), "MPI_T_cvar_get_num");
    std::string lines;
    for (int i = 0; i < count; ++i) {
        std::array<char, 256> name{};
        int length = name.size();
        int verbosity = 0;
        MPI_Datatype type = MPI_DATATYPE_NULL;
        int description_length = 0;
        int binding = 0;
        int scope = 0;
        // A variable of a part that was unloaded has a number and no name.
        if (MPI_T_cvar_get_info(i, name.data(), &length, &verbosity, &type, nullptr, nullptr,
                                &description_length, &binding, &scope) == MPI_SUCCESS) {
            lines += std::string(name.data()) + '\n';
        }
    }
    mpi::check(MPI_T_finalize(), "MPI_T_finalize");
    return lines;
}

}  // namespace transrank::lab::runner
