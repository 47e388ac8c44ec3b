// SPDX-License-Identifier: LGPL-2.1-or-later
#include "containercheck.h"

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "task.h"

namespace glcl::analyze {

namespace {

constexpr uint64_t unknown = UINT64_MAX;

class Reader {
 public:
  explicit Reader(const std::string &file) : in_(file, std::ios::binary) {}

  /// Reads `count` bytes from `at` on, fewer at the end of the file.
  std::string bytes(uint64_t at, size_t count) {
    std::string read(count, 0);
    in_.clear();
    in_.seekg(static_cast<std::streamoff>(at));
    in_.read(read.data(), static_cast<std::streamsize>(count));
    read.resize(in_.gcount() > 0 ? in_.gcount() : 0);
    return read;
  }

 private:
  std::ifstream in_;
};

uint64_t big_endian(const std::string &bytes, size_t at, size_t count) {
  uint64_t value = 0;
  for (size_t i = at; i < at + count; i++)
    value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

/// End of the box that begins at `at`.
uint64_t end_of_box(Reader &in, uint64_t at, uint64_t size) {
  const std::string head = in.bytes(at, 16);
  if (head.size() < 8) return at + 8;
  uint64_t length = big_endian(head, 0, 4);
  if (length == 0) return size;  // the box extends to the end of the file
  if (length == 1) length = head.size() == 16 ? big_endian(head, 8, 8) : 16;
  return length < 8 || length > unknown - at ? size : at + length;
}

/// An EBML number of 1 to 8 bytes. `used` receives its length, or 0 if there is no number.
uint64_t ebml_number(const std::string &bytes, size_t at, size_t &used) {
  used = 0;
  if (at >= bytes.size() || !bytes[at]) return 0;
  size_t count = 1;
  const auto first = static_cast<unsigned char>(bytes[at]);
  while (!(first & (0x80 >> (count - 1)))) count++;
  if (at + count > bytes.size()) return 0;
  used = count;
  const uint64_t value = big_endian(bytes, at, count) & ((uint64_t(1) << 7 * count) - 1);
  return value == (uint64_t(1) << 7 * count) - 1 ? unknown : value;
}

uint64_t end_of_matroska(Reader &in, uint64_t size) {
  const std::string head = in.bytes(0, 256);
  size_t used = 0;
  const uint64_t header = ebml_number(head, 4, used);
  if (!used || header > 200) return size;
  const size_t segment = 4 + used + header;
  if (segment + 4 > head.size() || head.compare(segment, 4, "\x18\x53\x80\x67")) return size;
  const uint64_t length = ebml_number(head, segment + 4, used);
  return !used || length == unknown || length > size * 1024 ? size : segment + 4 + used + length;
}

/// Size that the complete file would have.
uint64_t whole_size(Reader &in, uint64_t size) {
  const std::string head = in.bytes(0, 12);
  if (head.size() < 12) return size;
  if (!head.compare(4, 4, "ftyp")) {
    uint64_t end = 0;
    for (int boxes = 0; end < size && boxes < 1000000; boxes++) end = end_of_box(in, end, size);
    return end;
  }
  if (!head.compare(0, 4, "\x1A\x45\xDF\xA3")) return end_of_matroska(in, size);
  if (!head.compare(0, 4, "RIFF") && !head.compare(8, 3, "AVI")) {
    uint32_t length = 0;
    for (int i = 3; i >= 0; i--) length = length << 8 | static_cast<unsigned char>(head[4 + i]);
    return length ? uint64_t(length) + 8 : size;
  }
  return size;
}

}  // namespace

void check_complete(const std::string &file) {
  std::error_code error;
  const uint64_t size = std::filesystem::file_size(file, error);
  if (error) return;
  Reader in(file);
  const uint64_t whole = whole_size(in, size);
  if (whole > size)
    throw Failure("it is truncated: " + std::to_string(size) + " of " + std::to_string(whole) +
                  " bytes exist");
}

}  // namespace glcl::analyze
