#include "hlsl/catalogue.h"

#include <gtest/gtest.h>

#include <stdexcept>

using hlsl::parse_catalogue;
using hlsl::variant;

namespace {

std::string family(const std::string & members) {
    return R"({ "families": [ { "family": "f", "source": "f.hlsl")" + (members.empty() ? "" : ", " + members) + " } ] }";
}

// The names of tier sm51, in order.
std::vector<std::string> names(const std::string & text) {
    std::vector<std::string> all;
    for (const variant & v : parse_catalogue(text)) {
        if (v.tier == 0) {
            all.push_back(v.name);
        }
    }
    return all;
}

std::string failure(const std::string & text) {
    try {
        parse_catalogue(text);
    } catch (const std::runtime_error & e) {
        return e.what();
    }
    return {};
}

void expect_refused(const std::string & text, const std::string & reason) {
    EXPECT_NE(failure(text).find(reason), std::string::npos) << text << "\n" << failure(text);
}

const std::string two_axes = R"("axes": [ { "define": "A", "values": ["x", "y"] }, { "define": "B", "values": ["p", "q", "r"] } ])";

}  // namespace

TEST(catalogue, a_family_without_axes) {
    const std::vector<variant> all = parse_catalogue(family(""));
    ASSERT_EQ(all.size(), 3u);
    for (int t = 0; t < 3; t++) {
        EXPECT_EQ(all[size_t(t)].name, "f");
        EXPECT_EQ(all[size_t(t)].tier, t);
        EXPECT_EQ(all[size_t(t)].entry, "main");
        ASSERT_EQ(all[size_t(t)].defines.size(), 1u);
        EXPECT_EQ(all[size_t(t)].defines[0], std::make_pair(std::string("TIER"), std::string(t == 0 ? "51" : t == 1 ? "60" : "66")));
    }
}

TEST(catalogue, the_product_of_the_axes) {
    EXPECT_EQ(names(family(two_axes)), (std::vector<std::string>{ "f.x.p", "f.x.q", "f.x.r", "f.y.p", "f.y.q", "f.y.r" }));
    const variant v = parse_catalogue(family(two_axes + R"(, "defines": { "K": "2" }, "entry": "go", "strict": true)"))[1];
    EXPECT_EQ(v.defines, (std::vector<std::pair<std::string, std::string>>{ { "A", "x" }, { "B", "q" }, { "K", "2" }, { "TIER", "51" } }));
    EXPECT_EQ(v.entry, "go");
    EXPECT_TRUE(v.strict);
}

TEST(catalogue, tiers) {
    const std::vector<variant> all = parse_catalogue(family(R"("tiers": ["sm66", "sm51"])"));
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(all[0].tier, 0);
    EXPECT_EQ(all[1].tier, 2);
}

TEST(catalogue, only_and_except) {
    EXPECT_EQ(names(family(two_axes + R"(, "only": [ { "A": "x", "B": ["p", "q"] }, { "B": "r" } ])")),
              (std::vector<std::string>{ "f.x.p", "f.x.q", "f.x.r", "f.y.r" }));
    EXPECT_EQ(names(family(two_axes + R"(, "except": [ { "A": "y" }, { "A": "x", "B": "r" } ])")),
              (std::vector<std::string>{ "f.x.p", "f.x.q" }));
    EXPECT_EQ(names(family(two_axes + R"(, "only": [ { "A": "x" } ], "except": [ { "B": "q" } ])")),
              (std::vector<std::string>{ "f.x.p", "f.x.r" }));
}

TEST(catalogue, rules_that_do_nothing_are_mistakes) {
    expect_refused(family(two_axes + R"(, "except": [ { "C": "x" } ])"), "\"C\" is not an axis");
    expect_refused(family(two_axes + R"(, "except": [ { "A": "z" } ])"), "\"z\" is not a value of axis A");
    expect_refused(family(two_axes + R"(, "except": [ {} ])"), "maps axes to values");
    expect_refused(family(two_axes + R"(, "only": [ { "A": "x" } ], "except": [ { "A": "y" } ])"), "matches no variant");
    expect_refused(family(two_axes + R"(, "except": [ { "A": ["x", "y"] } ])"), "no variant is left");
}

TEST(catalogue, a_family_may_have_several_entries) {
    const std::string text = R"({ "families": [
        { "family": "f", "source": "f.hlsl", "axes": [ { "define": "A", "values": ["y"] } ] },
        { "family": "f", "source": "g.hlsl", "axes": [ { "define": "B", "values": ["x"] } ] } ] })";
    EXPECT_EQ(names(text), (std::vector<std::string>{ "f.x", "f.y" }));
    expect_refused(R"({ "families": [ { "family": "f", "source": "f.hlsl" }, { "family": "f", "source": "g.hlsl" } ] })",
                   "two entries make this variant");
}

TEST(catalogue, anything_unknown_is_refused) {
    expect_refused("{", "not valid JSON");
    expect_refused("[]", "must be an object");
    expect_refused("{}", "needs \"families\"");
    expect_refused(R"({ "families": [], "version": 1 })", "unknown key \"version\"");
    expect_refused(R"({ "families": [ { "family": "f" } ] })", "needs \"source\"");
    expect_refused(R"({ "families": [ { "source": "f.hlsl" } ] })", "needs \"family\"");
    expect_refused(family(R"("axis": [])"), "unknown key \"axis\"");
    expect_refused(family(R"("source": "g.hlsl")"), "duplicate key");
    expect_refused(family(R"("axes": {})"), "must be a list");
    expect_refused(family(R"("axes": [ { "define": "A" } ])"), "needs \"define\" and \"values\"");
    expect_refused(family(R"("axes": [ { "define": "A", "values": [] } ])"), "has no values");
    expect_refused(family(R"("axes": [ { "define": "A", "values": ["x", "x"] } ])"), "listed twice");
    expect_refused(family(R"("axes": [ { "define": "A", "values": ["x.y"] } ])"), "letters, digits");
    expect_refused(family(R"("axes": [ { "define": "A", "values": [1] } ])"), "letters, digits");
    expect_refused(family(R"("axes": [ { "define": "TIER", "values": ["51"] } ])"), "TIER is defined twice");
    expect_refused(family(R"("axes": [ { "define": "A", "values": ["x"] } ], "defines": { "A": "1" })"), "defined twice");
    expect_refused(family(R"("defines": { "K": 1 })"), "letters, digits");
    expect_refused(family(R"("tiers": ["sm70"])"), "unknown or listed twice");
    expect_refused(family(R"("tiers": [])"), "is empty");
    expect_refused(family(R"("strict": 1)"), "true or false");
}
