// SPDX-License-Identifier: BSD-3-Clause
#include "lab/measure/outcome.hpp"

namespace transrank::lab::measure {

void Outcome::describe(text::JsonWriter& json) const {
    json.begin_object().key("values").begin_object();
    for (const auto& [name, value] : values) {
        json.key(name).value(value);
    }
    json.end_object().key("series").begin_object();
    for (const auto& [name, numbers] : series) {
        json.key(name).array(numbers);
    }
    json.end_object().key("fields").begin_object();
    for (const auto& [name, field] : fields) {
        json.key(name).begin_object().key("extents").array(field.extents);
        json.key("values").array(field.values).end_object();
    }
    json.end_object().end_object();
}

}  // namespace transrank::lab::measure
