// SPDX-License-Identifier: BSD-3-Clause
#include "listing.hpp"

#include <fstream>
#include <set>

namespace transrank::lab::runner {
namespace {

std::set<std::string> read_only_list(const std::string& path) {
    std::ifstream file(path);
    if (!file) {
        throw UsageError("cannot read the list of cases " + path);
    }
    std::set<std::string> ids;
    for (std::string line; std::getline(file, line);) {
        ids.insert(line);
    }
    return ids;
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
        const auto only = read_only_list(options.only_file);
        for (auto& cases : selected) {
            std::erase_if(cases, [&](const auto& point) { return !only.contains(point.id()); });
        }
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
