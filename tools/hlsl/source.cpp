#include "source.h"

#include "files.h"

#include <algorithm>
#include <stdexcept>
#include <string_view>

namespace hlsl {

namespace fs = std::filesystem;

namespace {

// The line without comments; `in_block` says whether a block comment is open before and after it.
std::string without_comments(std::string_view line, bool & in_block) {
    std::string out;
    for (size_t i = 0; i < line.size(); i++) {
        if (in_block) {
            if (line.substr(i, 2) == "*/") {
                in_block = false;
                out += ' ';
                i++;
            }
        } else if (line.substr(i, 2) == "//") {
            break;
        } else if (line.substr(i, 2) == "/*") {
            in_block = true;
            i++;
        } else if (line[i] == '"') {
            const size_t end = line.find('"', i + 1);
            const size_t n   = end == std::string_view::npos ? line.size() - i : end - i + 1;
            out += line.substr(i, n);
            i += n - 1;
        } else {
            out += line[i];
        }
    }
    while (!out.empty() && (out.back() == ' ' || out.back() == '\t')) {
        out.pop_back();
    }
    return out;
}

std::string_view skip_blanks(std::string_view s) {
    const size_t n = s.find_first_not_of(" \t");
    return n == std::string_view::npos ? std::string_view() : s.substr(n);
}

// What follows `#include`, or an empty view if the line is something else.
std::string_view include_operand(std::string_view line) {
    line = skip_blanks(line);
    if (line.empty() || line[0] != '#') {
        return {};
    }
    line                            = skip_blanks(line.substr(1));
    constexpr std::string_view word = "include";
    return line.starts_with(word) ? skip_blanks(line.substr(word.size())) : std::string_view();
}

}  // namespace

source_reader::source_reader(fs::path base) : base_(std::move(base)) {}

std::string source_reader::shown(const fs::path & file) const {
    const fs::path relative = file.lexically_relative(base_);
    return relative.empty() || *relative.begin() == ".." ? file.generic_string() : relative.generic_string();
}

const source & source_reader::read(const fs::path & file) {
    const std::string name = file.lexically_normal().generic_string();
    const auto        it   = sources_.find(name);
    if (it != sources_.end()) {
        return it->second;
    }
    source                   s;
    std::vector<std::string> open;
    paste(file.lexically_normal(), "", s, open);
    return sources_.emplace(name, std::move(s)).first->second;
}

void source_reader::paste(const fs::path & file, const std::string & included_from, source & out, std::vector<std::string> & open) {
    const std::string name = file.generic_string();
    if (std::find(open.begin(), open.end(), name) != open.end()) {
        return;  // it includes itself: its include guard makes the second copy empty
    }
    if (std::find(out.files.begin(), out.files.end(), name) == out.files.end()) {
        out.files.push_back(name);
    }
    auto text = texts_.find(name);
    if (text == texts_.end()) {
        try {
            text = texts_.emplace(name, read_text(file)).first;
        } catch (const std::runtime_error & e) {
            throw std::runtime_error(included_from + e.what());
        }
    }
    open.push_back(name);

    const std::string here = shown(file);
    out.text += "#line 1 \"" + here + "\"\n";
    bool             in_block = false;
    size_t           number   = 0;
    std::string_view rest     = text->second;
    while (!rest.empty()) {
        const size_t     end  = rest.find('\n');
        std::string_view line = rest.substr(0, end);
        rest                  = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
        number++;
        if (!line.empty() && line.back() == '\r') {
            line.remove_suffix(1);
        }

        const std::string      code    = without_comments(line, in_block);
        const std::string_view operand = include_operand(code);
        // <System headers> stand in the C++ branches of headers that both sides share.
        if (operand.empty() || operand[0] == '<') {
            out.text += code + "\n";
            if (!code.empty()) {
                out.key += code + "\n";
            }
            continue;
        }
        const std::string place = here + "(" + std::to_string(number) + "): ";
        const size_t      close = operand.find('"', 1);
        if (operand[0] != '"' || close == std::string_view::npos) {
            throw std::runtime_error(place + "error: only #include \"file\" is understood here");
        }
        paste((file.parent_path() / operand.substr(1, close - 1)).lexically_normal(), place + "error: ", out, open);
        out.text += "#line " + std::to_string(number + 1) + " \"" + here + "\"\n";
    }
    open.pop_back();
}

}  // namespace hlsl
