// SPDX-License-Identifier: BSD-3-Clause
// What an algorithm of an alltoall asks of tori with a rank on each node: one JSON line each, as
// traffic.hpp counts it. `torus bruck 4x6x16 8`
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "lab/text/json.hpp"
#include "traffic.hpp"

namespace {

using namespace transrank;
using torus::count_traffic;
using torus::Traffic;

schedule::Problem problem_of(const std::string& torus) {
    schedule::Problem problem{.ranks = 1, .torus = {}};
    std::istringstream lengths(torus);
    for (std::string length; std::getline(lengths, length, 'x');) {
        problem.ranks *= problem.torus.emplace_back(std::stoi(length));
    }
    return problem;
}

void print(const std::string& torus, const schedule::Algorithm& algorithm, const Traffic& traffic) {
    lab::text::JsonWriter json;
    json.begin_object().key("torus").value(torus);
    json.key("algorithm").value(algorithm.name).key("direct").value(algorithm.direct);
    json.key("steps").value(traffic.steps).key("messages").value(traffic.messages);
    json.key("blocks").value(traffic.blocks).key("block_hops").value(traffic.block_hops);
    json.key("busiest_link").value(traffic.busiest_link);
    json.key("messages_in_turn").value(traffic.messages_in_turn);
    json.key("hops_in_turn").value(traffic.hops_in_turn);
    json.key("blocks_in_turn").value(traffic.blocks_in_turn);
    std::cout << json.end_object().text() << '\n';
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    const auto& algorithm = schedule::find(arguments.at(0));
    for (std::size_t i = 1; i < arguments.size(); ++i) {
        const auto problem = problem_of(arguments[i]);
        if (algorithm.reason_against(problem).empty()) {
            print(arguments[i], algorithm, count_traffic(algorithm, problem, problem.torus));
        }
    }
}
