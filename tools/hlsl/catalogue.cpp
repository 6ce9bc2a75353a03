#include "catalogue.h"

#include "files.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <initializer_list>
#include <map>
#include <set>
#include <stdexcept>
#include <tuple>

namespace hlsl {

namespace {

using json = nlohmann::json;

struct axis {
    std::string              define;
    std::vector<std::string> values;
};

// A partial assignment of axes: a variant matches if each named axis has one of the listed values.
using rule = std::map<std::string, std::set<std::string>>;

[[noreturn]] void fail(const std::string & where, const std::string & what) {
    throw std::runtime_error("kernel catalogue: " + where + ": " + what);
}

void check_keys(const json & object, const std::string & where, std::initializer_list<std::string_view> known) {
    if (!object.is_object()) {
        fail(where, "must be an object");
    }
    for (const auto & item : object.items()) {
        if (std::find(known.begin(), known.end(), item.key()) == known.end()) {
            std::string list;
            for (std::string_view k : known) {
                list += (list.empty() ? "" : ", ") + std::string(k);
            }
            fail(where, "unknown key \"" + item.key() + "\" (known: " + list + ")");
        }
    }
}

// Names end up in variant names and on command lines, where dots and blanks would be ambiguous.
bool is_word(std::string_view s) {
    return !s.empty() && std::all_of(s.begin(), s.end(), [](unsigned char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    });
}

std::string word(const json & value, const std::string & where) {
    if (!value.is_string() || !is_word(value.get<std::string>())) {
        fail(where, "must be a string of letters, digits and _");
    }
    return value.get<std::string>();
}

const json & array(const json & value, const std::string & where) {
    if (!value.is_array()) {
        fail(where, "must be a list");
    }
    return value;
}

axis parse_axis(const json & value, const std::string & where) {
    check_keys(value, where, { "define", "values" });
    if (!value.contains("define") || !value.contains("values")) {
        fail(where, "needs \"define\" and \"values\"");
    }
    axis a;
    a.define = word(value["define"], where + ".define");
    for (const json & v : array(value["values"], where + ".values")) {
        const std::string name = word(v, where + ".values");
        if (std::find(a.values.begin(), a.values.end(), name) != a.values.end()) {
            fail(where, "value \"" + name + "\" is listed twice");
        }
        a.values.push_back(name);
    }
    if (a.values.empty()) {
        fail(where, "has no values");
    }
    return a;
}

rule parse_rule(const json & value, const std::string & where, const std::vector<axis> & axes) {
    if (!value.is_object() || value.empty()) {
        fail(where, "must be an object that maps axes to values");
    }
    rule r;
    for (const auto & item : value.items()) {
        const auto a = std::find_if(axes.begin(), axes.end(), [&](const axis & x) { return x.define == item.key(); });
        if (a == axes.end()) {
            fail(where, "\"" + item.key() + "\" is not an axis of this family");
        }
        const json list = item.value().is_array() ? item.value() : json::array({ item.value() });
        for (const json & v : list) {
            const std::string name = word(v, where + "." + item.key());
            if (std::find(a->values.begin(), a->values.end(), name) == a->values.end()) {
                fail(where, "\"" + name + "\" is not a value of axis " + item.key());
            }
            r[item.key()].insert(name);
        }
    }
    return r;
}

using assignment = std::vector<std::pair<std::string, std::string>>;

bool matches(const rule & r, const assignment & values) {
    return std::all_of(values.begin(), values.end(), [&](const auto & v) {
        const auto it = r.find(v.first);
        return it == r.end() || it->second.count(v.second) != 0;
    });
}

std::vector<assignment> product(const std::vector<axis> & axes) {
    std::vector<assignment> all = { {} };
    for (const axis & a : axes) {
        std::vector<assignment> next;
        for (const assignment & prefix : all) {
            for (const std::string & v : a.values) {
                next.push_back(prefix);
                next.back().emplace_back(a.define, v);
            }
        }
        all = std::move(next);
    }
    return all;
}

// Keeps what "only" and "except" leave. A rule that matches nothing is a mistake in the catalogue.
std::vector<assignment> restrict_to(std::vector<assignment> all, const json & list, const std::string & where,
                                    const std::vector<axis> & axes, bool keep) {
    std::vector<rule> rules;
    for (const json & r : array(list, where)) {
        rules.push_back(parse_rule(r, where + "[" + std::to_string(rules.size()) + "]", axes));
    }
    std::vector<size_t>     hits(rules.size());
    std::vector<assignment> left;
    for (assignment & values : all) {
        bool any = false;
        for (size_t i = 0; i < rules.size(); i++) {
            if (matches(rules[i], values)) {
                hits[i]++;
                any = true;
            }
        }
        if (any == keep) {
            left.push_back(std::move(values));
        }
    }
    for (size_t i = 0; i < hits.size(); i++) {
        if (hits[i] == 0) {
            fail(where + "[" + std::to_string(i) + "]", "matches no variant");
        }
    }
    return left;
}

void expand_family(const json & f, const std::string & place, std::vector<variant> & out) {
    check_keys(f, place, { "family", "source", "entry", "axes", "defines", "tiers", "only", "except", "strict" });
    for (const char * key : { "family", "source" }) {
        if (!f.contains(key)) {
            fail(place, std::string("needs \"") + key + "\"");
        }
    }
    const std::string family = word(f["family"], place + ".family");
    const std::string where  = place + " (" + family + ")";

    if (!f["source"].is_string()) {
        fail(where + ".source", "must be a file name");
    }
    variant base;
    base.family = family;
    base.source = f["source"].get<std::string>();
    base.entry  = f.contains("entry") ? word(f["entry"], where + ".entry") : "main";
    if (f.contains("strict")) {
        if (!f["strict"].is_boolean()) {
            fail(where + ".strict", "must be true or false");
        }
        base.strict = f["strict"].get<bool>();
    }

    std::vector<axis>     axes;
    std::set<std::string> names = { "TIER" };
    const json            none  = json::array();
    for (const json & a : array(f.contains("axes") ? f["axes"] : none, where + ".axes")) {
        const std::string at = where + ".axes[" + std::to_string(axes.size()) + "]";
        axes.push_back(parse_axis(a, at));
        if (!names.insert(axes.back().define).second) {
            fail(at, axes.back().define + " is defined twice");
        }
    }

    assignment common;
    if (f.contains("defines")) {
        if (!f["defines"].is_object()) {
            fail(where + ".defines", "must be an object");
        }
        for (const auto & item : f["defines"].items()) {
            if (!is_word(item.key()) || !names.insert(item.key()).second) {
                fail(where + ".defines", item.key() + " is not a name, or is defined twice");
            }
            common.emplace_back(item.key(), word(item.value(), where + ".defines." + item.key()));
        }
    }

    std::vector<int> tiers;
    if (f.contains("tiers")) {
        for (const json & t : array(f["tiers"], where + ".tiers")) {
            const int tier = find_tier(word(t, where + ".tiers"));
            if (tier < 0 || std::find(tiers.begin(), tiers.end(), tier) != tiers.end()) {
                fail(where + ".tiers", t.dump() + " is unknown or listed twice (sm51, sm60, sm66)");
            }
            tiers.push_back(tier);
        }
        if (tiers.empty()) {
            fail(where + ".tiers", "is empty");
        }
    } else {
        tiers = { 0, 1, 2 };
    }

    std::vector<assignment> all = product(axes);
    if (f.contains("only")) {
        all = restrict_to(std::move(all), f["only"], where + ".only", axes, true);
    }
    if (f.contains("except")) {
        all = restrict_to(std::move(all), f["except"], where + ".except", axes, false);
    }
    if (all.empty()) {
        fail(where, "no variant is left");
    }

    for (const assignment & values : all) {
        variant v = base;
        v.name    = family;
        for (const auto & value : values) {
            v.name += "." + value.second;
        }
        v.defines = values;
        v.defines.insert(v.defines.end(), common.begin(), common.end());
        v.defines.emplace_back("TIER", "");
        for (int tier : tiers) {
            v.tier                  = tier;
            v.defines.back().second = std::to_string(tier_values[tier]);
            out.push_back(v);
        }
    }
}

}  // namespace

int find_tier(std::string_view name) {
    for (int i = 0; i < tier_count; i++) {
        if (tier_names[i] == name) {
            return i;
        }
    }
    return -1;
}

std::vector<variant> parse_catalogue(std::string_view text) {
    json root;
    try {
        // JSON takes the last of two equal keys; here the second one is a mistake.
        std::vector<std::set<std::string>> keys;
        root = json::parse(text.begin(), text.end(), [&](int, json::parse_event_t event, json & value) {
            if (event == json::parse_event_t::object_start) {
                keys.emplace_back();
            } else if (event == json::parse_event_t::object_end) {
                keys.pop_back();
            } else if (event == json::parse_event_t::key && !keys.back().insert(value.get<std::string>()).second) {
                fail("duplicate key", value.dump());
            }
            return true;
        });
    } catch (const json::exception & e) {
        fail("not valid JSON", e.what());
    }
    check_keys(root, "top level", { "families" });
    if (!root.contains("families")) {
        fail("top level", "needs \"families\"");
    }

    std::vector<variant> all;
    size_t               i = 0;
    for (const json & f : array(root["families"], "families")) {
        expand_family(f, "families[" + std::to_string(i++) + "]", all);
    }
    const auto key = [](const variant & v) { return std::tie(v.tier, v.family, v.name); };
    std::sort(all.begin(), all.end(), [&](const variant & a, const variant & b) { return key(a) < key(b); });
    const auto twin = std::adjacent_find(all.begin(), all.end(), [&](const variant & a, const variant & b) { return key(a) == key(b); });
    if (twin != all.end()) {
        fail(twin->name, "two entries make this variant for tier " + std::string(tier_names[twin->tier]));
    }
    return all;
}

std::vector<variant> read_catalogue(const std::filesystem::path & file) {
    return parse_catalogue(read_text(file));
}

}  // namespace hlsl
