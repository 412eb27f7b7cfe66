// SPDX-License-Identifier: MIT
#include "base/log.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <string>

namespace multipass {
namespace {

// Runs `body` in a child whose stderr is the write end of a pipe; returns its exit code, or 128 + signal.
template <typename Body>
int in_child(bool reader_is_gone, std::string* said, Body&& body) {
  std::array<int, 2> ends{};
  EXPECT_EQ(pipe(ends.data()), 0);
  if (reader_is_gone) close(ends[0]);
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGPIPE, SIG_DFL);
    dup2(ends[1], STDERR_FILENO);
    close(ends[1]);
    _exit(body());
  }
  close(ends[1]);
  if (said != nullptr) {
    std::array<char, 4096> text{};
    for (ssize_t n = 0; (n = read(ends[0], text.data(), text.size())) > 0;)
      said->append(text.data(), static_cast<std::size_t>(n));
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  if (!reader_is_gone) close(ends[0]);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TEST(Log, ALiteralIsALineOfItsLevelAndCutWhenItIsLong) {
  std::string said;
  EXPECT_EQ(in_child(false, &said,
                     [] {
                       log_literal(LogLevel::kInfo, "not shown");
                       log_literal(LogLevel::kWarning, "b");
                       log_literal(LogLevel::kError, std::string(2000, 'x'));
                       return 0;
                     }),
            0);
  const std::string prefix = "rocprof-sys-multipass: error: ";
  EXPECT_EQ(said, "rocprof-sys-multipass: warning: b\n" + prefix + std::string(511 - prefix.size(), 'x') + "\n");
}

TEST(Log, WritesLinesOfTheLevelAndAbove) {
  std::string said;
  EXPECT_EQ(in_child(false, &said,
                     [] {
                       log_error("a");
                       log_warning("b");
                       log_info("not shown");
                       set_log_level(LogLevel::kInfo);
                       log_info("c");
                       return 0;
                     }),
            0);
  EXPECT_EQ(said,
            "rocprof-sys-multipass: error: a\n"
            "rocprof-sys-multipass: warning: b\n"
            "rocprof-sys-multipass: c\n");
}

TEST(Log, AReaderThatIsGoneEndsNothing) {
  EXPECT_EQ(in_child(true, nullptr,
                     [] {
                       log_error("nobody hears this");
                       sigset_t pending;
                       sigpending(&pending);
                       return sigismember(&pending, SIGPIPE);  // and nothing is left behind
                     }),
            0);
}

TEST(Log, AReaderThatDoesNotReadIsNotWaitedFor) {
  EXPECT_EQ(in_child(false, nullptr,
                     [] {
                       fcntl(STDERR_FILENO, F_SETFL, O_NONBLOCK);
                       const std::string page(4096, 'x');
                       while (write(STDERR_FILENO, page.data(), page.size()) > 0) {  // until the pipe is full
                       }
                       fcntl(STDERR_FILENO, F_SETFL, 0);  // from here on a plain write would block for ever
                       log_error("dropped");
                       return 0;
                     }),
            0);
}

TEST(Log, ManyMessagesWaitForThatReaderOnce) {
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(in_child(false, nullptr,
                     [] {
                       for (int i = 0; i < 1000; ++i) log_error(std::string(300, 'x'));
                       return 0;
                     }),
            0);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 20 * std::chrono::milliseconds(kMaxWaitMs));
}

TEST(Log, AMessageLongerThanAPipeTakesIsCutNotWaitedFor) {
  std::string said;
  EXPECT_EQ(in_child(false, &said,
                     [] {
                       log_error(std::string(200'000, 'x'));
                       return 0;
                     }),
            0);
  EXPECT_EQ(said.size(), 4096U);
  EXPECT_TRUE(said.ends_with("x ...\n"));
  EXPECT_EQ(in_child(false, nullptr,
                     [] {
                       log_error(std::string(200'000, 'x'));  // and nobody reads
                       return 0;
                     }),
            0);
}

TEST(Log, AFileAtItsSizeLimitEndsNothing) {
  std::FILE* file = std::tmpfile();
  ASSERT_NE(file, nullptr);
  const pid_t child = fork();
  if (child == 0) {
    dup2(fileno(file), STDERR_FILENO);
    const rlimit limit{0, 0};
    setrlimit(RLIMIT_FSIZE, &limit);
    log_error("does not fit");
    _exit(0);
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
  std::fclose(file);
}

TEST(Log, ANoteIsLessThanAWarningAndMoreThanInformation) {
  std::string said;
  EXPECT_EQ(in_child(false, &said,
                     [] {
                       log_note("not at the default level");
                       set_log_level(LogLevel::kNote);
                       log_note("told");
                       log_info("not told");
                       return 0;
                     }),
            0);
  EXPECT_EQ(said, "rocprof-sys-multipass: note: told\n");
}

TEST(Log, KeepsErrno) {
  EXPECT_EQ(in_child(true, nullptr,
                     [] {
                       errno = ENOTTY;
                       log_error("x");
                       return errno == ENOTTY ? 0 : 1;
                     }),
            0);
}

TEST(OnceFlag, IsTrueOnce) {
  OnceFlag flag;
  EXPECT_TRUE(flag.first());
  EXPECT_FALSE(flag.first());
}

}  // namespace
}  // namespace multipass
