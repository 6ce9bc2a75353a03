#include "hlsl/cache.h"
#include "hlsl/files.h"
#include "hlsl/sha256.h"
#include "hlsl/source.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <random>
#include <stdexcept>

namespace fs = std::filesystem;

using hlsl::shader_cache;
using hlsl::source;
using hlsl::source_reader;
using hlsl::variant;

namespace {

class in_a_folder : public testing::Test {
protected:
    void SetUp() override {
        std::random_device random;
        folder = fs::temp_directory_path() / ("ggml-directx-test-" + std::to_string(random()) + std::to_string(random()));
        fs::create_directories(folder);
    }
    void TearDown() override { fs::remove_all(folder); }

    void write(const std::string & name, const std::string & text) { hlsl::write_atomically(folder / name, text); }

    source read(const std::string & name) { return source_reader(folder).read(folder / name); }

    std::string failure(const std::string & name) {
        try {
            read(name);
        } catch (const std::runtime_error & e) {
            return e.what();
        }
        return {};
    }

    // Names of the files read, relative to the folder.
    std::vector<std::string> files(const source & s) {
        std::vector<std::string> names;
        for (const std::string & f : s.files) {
            names.push_back(fs::path(f).lexically_relative(folder).generic_string());
        }
        return names;
    }

    fs::path folder;
};

using shader_source      = in_a_folder;
using shader_cache_files = in_a_folder;

}  // namespace

TEST_F(shader_source, includes_are_pasted_with_their_places) {
    write("a.hlsl", "#include \"sub/b.hlsli\"\nint a;\n");
    write("sub/b.hlsli", "#  include \"../c.h\" // why\nint b;\n");
    write("c.h", "#ifdef __cplusplus\n#include <array>\n#endif\nint c;");
    const source s = read("a.hlsl");
    EXPECT_EQ(s.text, "#line 1 \"a.hlsl\"\n"
                      "#line 1 \"sub/b.hlsli\"\n"
                      "#line 1 \"c.h\"\n"
                      "#ifdef __cplusplus\n#include <array>\n#endif\nint c;\n"
                      "#line 2 \"sub/b.hlsli\"\n"
                      "int b;\n"
                      "#line 2 \"a.hlsl\"\n"
                      "int a;\n");
    EXPECT_EQ(files(s), (std::vector<std::string>{ "a.hlsl", "sub/b.hlsli", "c.h" }));
}

TEST_F(shader_source, a_file_that_includes_itself) {
    write("a.hlsl", "#include \"b.hlsli\"\n");
    write("b.hlsli", "#ifndef B\n#define B\n#include \"b.hlsli\"\n#include \"a.hlsl\"\nint b;\n#endif\n");
    EXPECT_NE(read("a.hlsl").text.find("int b;"), std::string::npos);
    EXPECT_EQ(read("a.hlsl").files.size(), 2u);
}

TEST_F(shader_source, comments_keep_their_lines_but_not_their_words) {
    write("a.hlsl", "int a; // one\n/* two\n#include \"missing.h\"\n*/ int b; /* three */ int c;\r\n#define T \"// no comment\"\n");
    EXPECT_EQ(read("a.hlsl").text, "#line 1 \"a.hlsl\"\nint a;\n\n\n  int b;   int c;\n#define T \"// no comment\"\n");
}

TEST_F(shader_source, the_key_ignores_comments_and_places) {
    write("a.hlsl", "int a;\nint b;\n");
    write("b.hlsl", "// about a\nint a;\n\nint b; // and b\n");
    write("c.hlsl", "int a;\nint c;\n");
    EXPECT_EQ(read("a.hlsl").key, read("b.hlsl").key);
    EXPECT_NE(read("a.hlsl").key, read("c.hlsl").key);
}

TEST_F(shader_source, what_is_missing_is_named_with_the_place) {
    write("a.hlsl", "int a;\n#include \"gone.h\"\n");
    EXPECT_NE(failure("a.hlsl").find("a.hlsl(2): error: "), std::string::npos) << failure("a.hlsl");
    EXPECT_NE(failure("a.hlsl").find("gone.h"), std::string::npos) << failure("a.hlsl");
    EXPECT_NE(failure("nothing.hlsl").find("nothing.hlsl"), std::string::npos);
    write("m.hlsl", "#include HEADER\n");
    EXPECT_NE(failure("m.hlsl").find("m.hlsl(1)"), std::string::npos) << failure("m.hlsl");
}

TEST(sha256, known_answers) {
    const auto hash = [](const std::string & text) {
        hlsl::sha256 h;
        h.add(std::span(reinterpret_cast<const uint8_t *>(text.data()), text.size()));
        return h.hex();
    };
    EXPECT_EQ(hash(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(hash("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(hash("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    EXPECT_EQ(hash(std::string(1000000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(sha256, fields_do_not_run_together) {
    hlsl::sha256 a;
    hlsl::sha256 b;
    a.add_field("xy");
    a.add_field("z");
    b.add_field("x");
    b.add_field("yz");
    EXPECT_NE(a.hex(), b.hex());
}

TEST_F(shader_cache_files, every_part_of_the_key_counts) {
    variant v;
    v.entry                 = "main";
    v.defines               = { { "A", "1" } };
    variant other_entry     = v;
    other_entry.entry       = "go";
    variant other_define    = v;
    other_define.defines[0] = { "A", "2" };
    const std::string key   = shader_cache::key(v, "source", "compiler", "options");
    EXPECT_EQ(key, shader_cache::key(v, "source", "compiler", "options"));
    EXPECT_NE(key, shader_cache::key(other_entry, "source", "compiler", "options"));
    EXPECT_NE(key, shader_cache::key(other_define, "source", "compiler", "options"));
    EXPECT_NE(key, shader_cache::key(v, "source2", "compiler", "options"));
    EXPECT_NE(key, shader_cache::key(v, "source", "compiler2", "options"));
    EXPECT_NE(key, shader_cache::key(v, "source", "compiler", "options2"));
}

TEST_F(shader_cache_files, stores_and_loads) {
    const shader_cache         cache(folder / "deep/cache");
    const std::string          key(64, 'a');
    const std::vector<uint8_t> code = { 1, 2, 3, 0, 255 };
    EXPECT_FALSE(cache.load(key).has_value());
    EXPECT_TRUE(cache.store(key, code));
    EXPECT_EQ(cache.load(key), code);
    EXPECT_TRUE(cache.store(key, code));
    for (const auto & entry : fs::recursive_directory_iterator(folder)) {
        EXPECT_EQ(entry.path().filename().string().find(".tmp"), std::string::npos) << entry.path();
    }
}

TEST_F(shader_cache_files, damaged_entries_count_as_absent) {
    const shader_cache         cache(folder);
    const std::string          key(64, 'b');
    const std::vector<uint8_t> code(100, 7);
    ASSERT_TRUE(cache.store(key, code));
    const fs::path       file  = folder / key.substr(0, 2) / key.substr(2);
    std::vector<uint8_t> bytes = hlsl::read_bytes(file);
    bytes.back() ^= 1;
    hlsl::write_atomically(file, bytes);
    EXPECT_FALSE(cache.load(key).has_value());
    bytes.resize(10);
    hlsl::write_atomically(file, bytes);
    EXPECT_FALSE(cache.load(key).has_value());
}

TEST_F(shader_cache_files, no_folder_no_cache) {
    const shader_cache cache("");
    EXPECT_TRUE(cache.store(std::string(64, 'c'), std::vector<uint8_t>{ 1 }));
    EXPECT_FALSE(cache.load(std::string(64, 'c')).has_value());
}

TEST_F(shader_cache_files, a_folder_that_cannot_be_written) {
    write("file", "in the way");
    const shader_cache cache(folder / "file");
    EXPECT_FALSE(cache.store(std::string(64, 'd'), std::vector<uint8_t>{ 1 }));
}
