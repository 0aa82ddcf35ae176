// SPDX-License-Identifier: BSD-3-Clause
#include "listing.hpp"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <system_error>
#include <vector>

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
        const auto axes = study.axes();
        const auto write = [&](const char* key, const auto& values_of) {
            json.key(key).begin_object();
            for (const auto& axis : axes) {
                if (const auto values = values_of(axis); !values.empty()) {
                    json.key(axis.name).array(values);
                }
            }
            json.end_object();
        };
        write("axes", std::mem_fn(&study::AxisChoice::values));
        write("quick", std::mem_fn(&study::AxisChoice::quick));
        write("on_request", std::mem_fn(&study::AxisChoice::further));
        json.end_object();
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

}  // namespace transrank::lab::runner
