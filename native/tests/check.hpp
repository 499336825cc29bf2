// The little that C++ unit tests need: named tests, checks that say what they saw, an exit code.
#pragma once

#include <cmath>
#include <functional>
#include <iostream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace check {

inline std::vector<std::pair<std::string, std::function<void()>>>& tests() {
  static std::vector<std::pair<std::string, std::function<void()>>> all;
  return all;
}

inline int& failures() {
  static int count = 0;
  return count;
}

struct Register {
  Register(const char* name, std::function<void()> body) { tests().emplace_back(name, std::move(body)); }
};

inline void fail(const char* file, int line, const std::string& text) {
  ++failures();
  std::cerr << file << ":" << line << ": " << text << "\n";
}

template <class A, class B>
void equal(const char* file, int line, const char* what, const A& got, const B& expected) {
  if (got == expected) return;
  std::ostringstream text;
  text.precision(17);
  text << what << " is " << got << ", expected " << expected;
  fail(file, line, text.str());
}

inline void close(const char* file, int line, const char* what, double got, double expected, double tolerance) {
  if (std::abs(got - expected) <= tolerance) return;
  std::ostringstream text;
  text.precision(17);
  text << what << " is " << got << ", expected " << expected << " within " << tolerance;
  fail(file, line, text.str());
}

inline int run_all() {
  int failed = 0;
  for (const auto& [name, body] : tests()) {
    const int before = failures();
    body();
    const bool passed = failures() == before;
    failed += !passed;
    std::cout << (passed ? "passed " : "FAILED ") << name << "\n";
  }
  std::cout << tests().size() - static_cast<std::size_t>(failed) << " passed, " << failed << " failed\n";
  return failed == 0 ? 0 : 1;
}

}  // namespace check

#define TEST(name)                                              \
  static void name();                                           \
  static const check::Register register_##name(#name, name);    \
  static void name()
#define CHECK(condition) \
  if (!(condition)) check::fail(__FILE__, __LINE__, "not true: " #condition)
#define CHECK_EQUAL(got, expected) check::equal(__FILE__, __LINE__, #got, got, expected)
#define CHECK_CLOSE(got, expected, tolerance) check::close(__FILE__, __LINE__, #got, got, expected, tolerance)
