#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace hlsl {

// Both throw std::runtime_error with the file's name.
std::string          read_text(const std::filesystem::path & file);
std::vector<uint8_t> read_bytes(const std::filesystem::path & file);

// Writes beside the target and renames, so that no reader, and no other writer, ever sees half a file.
void write_atomically(const std::filesystem::path & file, std::span<const uint8_t> bytes);
void write_atomically(const std::filesystem::path & file, const std::string & text);

}  // namespace hlsl
