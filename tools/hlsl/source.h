#pragma once

// Reads a shader with everything that it includes.

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace hlsl {

struct source {
    std::string              text;   // all includes pasted in, #line directives keep messages at the right place
    std::string              key;    // the same without comments and places: equal keys compile to equal code
    std::vector<std::string> files;  // the file and what it includes, each once
};

// Pasting the includes ourselves gives both compilers the same text, and the build the list of dependencies. An
// include in a branch that the preprocessor will skip is pasted too, which is harmless.
class source_reader {
public:
    // Paths in messages are relative to this folder where the file lies below it.
    explicit source_reader(std::filesystem::path base);

    // Kept, so that variants share the work. Throws std::runtime_error: a file that cannot be read, an include by a
    // macro.
    const source & read(const std::filesystem::path & file);

private:
    void        paste(const std::filesystem::path & file, const std::string & included_from, source & out, std::vector<std::string> & open);
    std::string shown(const std::filesystem::path & file) const;

    std::filesystem::path              base_;
    std::map<std::string, std::string> texts_;
    std::map<std::string, source>      sources_;
};

}  // namespace hlsl
