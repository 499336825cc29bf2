#include <cstdint>
#include <string>
#include <vector>

#include "check.hpp"
#include "hub/cdr.hpp"

using namespace horus::hub;

namespace {

// Memory that grows as the writer asks for it.
struct Memory {
  std::vector<std::uint8_t> bytes = std::vector<std::uint8_t>(HEADER_BYTES);
  static std::uint8_t* grow(void* owner, std::size_t capacity, std::size_t /*written*/) {
    auto& bytes = static_cast<Memory*>(owner)->bytes;
    bytes.resize(capacity);
    return bytes.data();
  }
};

}  // namespace

TEST(numbers_are_aligned_behind_the_header) {
  Memory memory;
  Writer writer(&memory, &Memory::grow, memory.bytes.data(), memory.bytes.size());
  CHECK(writer.put(std::uint8_t{1}));
  CHECK(writer.put(2.5));  // seven bytes of padding
  CHECK(writer.put_text("hello", 5));
  CHECK(writer.put(std::uint16_t{3}));
  CHECK_EQUAL(writer.size(), std::size_t{4 + 1 + 7 + 8 + 4 + 6 + 2});
  Reader reader(memory.bytes.data(), writer.size());
  CHECK(reader.has_header());
  std::uint8_t first = 0;
  double second = 0;
  std::uint16_t last = 0;
  std::size_t length = 0;
  CHECK(reader.get(first));
  CHECK(reader.get(second));
  const char* const text = reader.get_text(length);
  CHECK(text != nullptr);
  CHECK_EQUAL(std::string(text, length), std::string("hello"));
  CHECK(reader.get(last));
  CHECK_EQUAL(int{first}, 1);
  CHECK_EQUAL(second, 2.5);
  CHECK_EQUAL(int{last}, 3);
  CHECK_EQUAL(reader.left(), std::size_t{0});
}

TEST(nothing_is_read_past_the_end) {
  const std::uint8_t bytes[] = {0, 1, 0, 0, 255, 255, 255, 255, 1};
  for (std::size_t size = 0; size <= sizeof(bytes); ++size) {
    Reader reader(bytes, size);
    if (!reader.has_header()) continue;
    std::size_t length = 0;
    CHECK(reader.get_text(length) == nullptr);
    double number = 0;
    CHECK(!reader.get(number));
  }
}

int main() { return check::run_all(); }
