// Injected faults. The environment is read once in a process, so each of these runs in one of its own.

#include "device_fixture.h"

#include <cstdio>
#include <cstdlib>
#include <functional>

namespace ggml_directx::d3d12 {

namespace {

void set_variable(const char * name, const char * value) {
#if defined(_WIN32)
    _putenv_s(name, value);
#else
    setenv(name, value, 1);
#endif
}

// Exits with 0 if `body` throws nothing and returns true.
[[noreturn]] void in_process(const char * name, const char * value, const std::function<bool()> & body) {
    set_variable(name, value);
    bool good = false;
    try {
        good = body();
    } catch (const std::exception & e) {
        std::fprintf(stderr, "%s\n", e.what());
    }
    std::fflush(stderr);
    std::_Exit(good ? 0 : 1);
}

// Runs `body`; true if it throws d3d12::error with this code, whose text it prints.
bool fails_with(long hr, const std::function<void()> & body) {
    try {
        body();
    } catch (const error & e) {
        std::fprintf(stderr, "%s\n", e.what());
        return e.hr() == hr;
    }
    return false;
}

class faults : public ::testing::Test {
protected:
    // A fresh process that has not read its environment yet.
    void SetUp() override { ::testing::FLAGS_gtest_death_test_style = "threadsafe"; }
};

}  // namespace

TEST_F(faults, NoRuntime) {
    EXPECT_EXIT(in_process("GGML_DIRECTX_FAULT", "no-runtime",
                           [] {
                               std::string why;
                               const bool  none = !load_runtime(why);
                               std::fprintf(stderr, "%s\n", why.c_str());
                               return none;
                           }),
                ::testing::ExitedWithCode(0), "no Direct3D 12");
}

TEST_F(faults, ALibraryThatIsNotThere) {
    EXPECT_EXIT(in_process("GGML_DIRECTX_D3D12", "/nowhere/d3d12.lib",
                           [] {
                               std::string why;
                               const bool  none = !load_runtime(why);
                               std::fprintf(stderr, "%s\n", why.c_str());
                               return none;
                           }),
                ::testing::ExitedWithCode(0), "nowhere");
}

TEST_F(faults, TheSelfTestFails) {
    EXPECT_EXIT(in_process("GGML_DIRECTX_FAULT", "self-test", [] { return !open_test_device()->self_test().empty(); }),
                ::testing::ExitedWithCode(0), "");
}

TEST_F(faults, TheThirdAllocationFails) {
    EXPECT_EXIT(in_process("GGML_DIRECTX_FAULT", "out-of-memory@3",
                           [] {
                               auto dev = open_test_device();
                               if (!dev->self_test().empty()) {
                                   return false;
                               }
                               auto       a = dev->allocate(256, memory_kind::device), b = dev->allocate(256, memory_kind::device);
                               const bool failed = fails_with(E_OUTOFMEMORY, [&] { dev->allocate(256, memory_kind::device); });
                               auto       c      = dev->allocate(256, memory_kind::device);  // and it goes on
                               return failed && dev->allocated() == 768 && !dev->lost();
                           }),
                ::testing::ExitedWithCode(0), "out of memory");
}

TEST_F(faults, BeyondTheBudget) {
    EXPECT_EXIT(in_process("GGML_DIRECTX_MEMORY_LIMIT", "32",
                           [] {
                               auto dev = open_test_device();
                               if (dev->budget().budget != 32u << 20) {
                                   return false;
                               }
                               auto       a      = dev->allocate(20 << 20, memory_kind::device);
                               const bool failed = fails_with(E_OUTOFMEMORY, [&] { dev->allocate(20 << 20, memory_kind::device); });
                               a.reset();
                               auto b = dev->allocate(20 << 20, memory_kind::device);
                               return failed;
                           }),
                ::testing::ExitedWithCode(0), "no room for 20 MiB.*20 MiB of 32 MiB in use");
}

// From the removal on everything throws, and everything can still be released.
TEST_F(faults, TheDeviceIsRemoved) {
    EXPECT_EXIT(in_process("GGML_DIRECTX_FAULT", "removed@3",
                           [] {
                               const int64_t before = device::live_objects();
                               bool          good   = true;
                               {
                                   auto dev = open_test_device();
                                   if (!dev->self_test().empty()) {
                                       return false;
                                   }
                                   stream    s(*dev);
                                   auto      a = dev->allocate(1024, memory_kind::device);
                                   recording r(*dev);
                                   r.close();
                                   s.synchronize(s.submit(r));
                                   s.synchronize(s.submit(r));
                                   good = good && fails_with(DXGI_ERROR_DEVICE_REMOVED, [&] { s.submit(r); });
                                   good = good && dev->lost();
                                   good = good && fails_with(DXGI_ERROR_DEVICE_REMOVED, [&] { s.submit(r); });
                                   good = good && fails_with(DXGI_ERROR_DEVICE_REMOVED, [&] { s.synchronize(); });
                                   good = good && fails_with(DXGI_ERROR_DEVICE_REMOVED, [&] { dev->allocate(1, memory_kind::device); });
                                   good = good && fails_with(DXGI_ERROR_DEVICE_REMOVED, [&] { recording another(*dev); });
                               }
                               return good && device::live_objects() == before;
                           }),
                ::testing::ExitedWithCode(0), "device removed");
}

}  // namespace ggml_directx::d3d12
