// SPDX-License-Identifier: MIT
//
// The kernel's name is the one that the compiler gives its symbol.
#include "sim/hip/symbol_name.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <typeinfo>

#include "multipass/sim/device.h"
#include "multipass/sim/launch.h"

namespace sim_hip_names {

enum class Mode { kOne, kTwo };
struct S0_ {};
template <class T>
struct Box {};

#define EXPORTED __attribute__((visibility("default"), used, noinline))

EXPORTED void plain(float*, const float*, float, std::size_t) {}
EXPORTED void repeated(S0_*, S0_*, const S0_*, const S0_*, Box<S0_>, Box<S0_>*) {}
EXPORTED void arrays(float (*)[16], void (*)(S0_, Box<int>), S0_) {}
template <Mode mode, int number, class... Types>
EXPORTED void instance(Box<Types>..., Types*...) {}
EXPORTED __device__ int negated(int value) {
  return -value;
}
template <int (*Operation)(int), class Type>
EXPORTED void applied(Type*, Box<Type>*, Type*) {}
struct Owner {
  EXPORTED static void member(Owner*, Owner, std::array<double, 3>) {}
};

}  // namespace sim_hip_names

extern "C" EXPORTED void sim_hip_plain_c(int*, int*) {}

namespace {

using multipass_sim::kernel_symbol;

template <auto Kernel>
void expect_symbol_of_the_compiler() {
  Dl_info info{};
  ASSERT_NE(dladdr(reinterpret_cast<const void*>(Kernel), &info), 0);
  ASSERT_NE(info.dli_sname, nullptr);
  EXPECT_EQ(kernel_symbol(typeid(MultipassSimSymbol<Kernel>).name()), info.dli_sname);
}

TEST(SymbolName, IsTheCompilersForAFunctionOfANamespace) {
  expect_symbol_of_the_compiler<(sim_hip_names::plain)>();
}

TEST(SymbolName, IsTheCompilersWhenParametersRepeat) {
  expect_symbol_of_the_compiler<(sim_hip_names::repeated)>();
}

TEST(SymbolName, IsTheCompilersForArraysAndFunctionPointers) {
  expect_symbol_of_the_compiler<(sim_hip_names::arrays)>();
}

TEST(SymbolName, IsTheCompilersForInstancesOfTemplates) {
  expect_symbol_of_the_compiler<(sim_hip_names::instance<sim_hip_names::Mode::kTwo, -12, int, float, int>)>();
}

TEST(SymbolName, IsTheCompilersWhenADeviceFunctionIsAnArgument) {
  expect_symbol_of_the_compiler<(sim_hip_names::applied<sim_hip_names::negated, float>)>();
}

TEST(SymbolName, IsTheCompilersForStaticMembers) {
  expect_symbol_of_the_compiler<(sim_hip_names::Owner::member)>();
}

TEST(SymbolName, IsThePlainNameForCLinkage) {
  expect_symbol_of_the_compiler<(sim_hip_plain_c)>();
}

TEST(SymbolName, KeepsInternalLinkage) {
  EXPECT_EQ(kernel_symbol("18MultipassSimSymbolIXadL_ZL7nothingvEEE"), "_ZL7nothingv");
  EXPECT_EQ(kernel_symbol("18MultipassSimSymbolIXadL_ZN12_GLOBAL__N_14anonEPiEEE"), "_ZN12_GLOBAL__N_14anonEPi");
}

TEST(SymbolName, LowersSubstitutionsBeyondOneDigit) {
  EXPECT_EQ(kernel_symbol("18MultipassSimSymbolIXadL_Z1kPfS0_S1_SZ_S10_S11_EEE"), "_Z1kPfS_S0_SY_SZ_S10_");
}

TEST(SymbolName, LeavesDigitsAndLettersInsideIdentifiersAlone) {
  EXPECT_EQ(kernel_symbol("18MultipassSimSymbolIXadL_ZN4S0_a5S1_S0EP4S0_aEEE"), "_ZN4S0_a5S1_S0EP4S0_a");
}

TEST(SymbolName, IsEmptyForATextOfAnotherForm) {
  EXPECT_EQ(kernel_symbol("18MultipassSimSymbolIiE"), "");
  EXPECT_EQ(kernel_symbol(""), "");
}

}  // namespace
