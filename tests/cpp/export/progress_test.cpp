// SPDX-License-Identifier: MIT
//
// What is told of a long export, and what is left of one that was ended.
#include "apps/export/progress.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <fstream>
#include <string>

#include "apps/export/unfinished.hpp"
#include "export/export_folder.hpp"

namespace multipass::apps {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Progress::Clock::time_point g_now;
Progress::Clock::time_point fake_now() {
  return g_now;
}

// Both ends of a pipe, or of a terminal.
struct Ends {
  int read = -1;
  int write = -1;
  explicit Ends(bool terminal) {
    std::array<int, 2> ends{};
    EXPECT_EQ(terminal ? ::openpty(&read, &write, nullptr, nullptr, nullptr) : ::pipe(ends.data()), 0);
    if (!terminal) read = ends[0], write = ends[1];
    EXPECT_EQ(::fcntl(read, F_SETFL, O_NONBLOCK), 0);
  }
  Ends(const Ends&) = delete;
  Ends& operator=(const Ends&) = delete;
  ~Ends() {
    ::close(read);
    ::close(write);
  }
  [[nodiscard]] std::string text() const {
    std::array<char, 4096> bytes{};
    const ssize_t got = ::read(read, bytes.data(), bytes.size());
    return {bytes.data(), static_cast<std::size_t>(got < 0 ? 0 : got)};
  }
  // `size` bytes, which the kernel carries through a terminal in its own time; fewer when no more come.
  [[nodiscard]] std::string text(std::size_t size) const {
    std::string found;
    for (pollfd ready{read, POLLIN, 0}; found.size() < size && ::poll(&ready, 1, 10'000) == 1;) found += text();
    return found + text();
  }
};

TEST(Progress, IsALineEveryTenSecondsWhereThereIsNoTerminal) {
  const Ends pipe(false);
  Progress progress(pipe.write, 400'000'000, &fake_now);
  progress.begin_file("/x/multipass-1.journal");
  progress.at(50'000'000);
  g_now += milliseconds(1999);
  progress.at(90'000'000);
  progress.step("completing multipass-1.db");
  EXPECT_EQ(pipe.text(), "");
  g_now += milliseconds(1);
  progress.at(100'000'000);
  progress.at(101'000'000);
  EXPECT_EQ(pipe.text(), "rocprof-sys-multipass: exporting multipass-1.journal: 25 % of 400 MB read, 6 s left\n");
  g_now += milliseconds(9999);
  progress.at(110'000'000);
  EXPECT_EQ(pipe.text(), "");
  g_now += milliseconds(1);
  progress.at(110'000'000);
  EXPECT_THAT(pipe.text(), HasSubstr("27 % of 400 MB read, 32 s left\n"));
  progress.step("completing multipass-1.db");
  EXPECT_EQ(pipe.text(), "rocprof-sys-multipass: completing multipass-1.db\n");
}

TEST(Progress, IsOneLineOnATerminalThatGivesWayToMessages) {
  const Ends terminal(true);
  Progress progress(terminal.write, 100'000'000, &fake_now);
  progress.begin_file("multipass-1.journal");
  progress.end_file(40'000'000);
  g_now += std::chrono::seconds(80);
  progress.at(0);
  g_now += milliseconds(200);
  progress.at(10'000'000);
  const std::string lines =
      "\r\x1b[Kexporting multipass-1.journal: 40 % of 100 MB read, 2 min 0 s left"
      "\r\x1b[Kexporting multipass-1.journal: 50 % of 100 MB read, 1 min 20 s left";
  EXPECT_EQ(terminal.text(lines.size()), lines);
  const std::string gone = "\r\x1b[K";
  progress.clear();
  progress.clear();
  EXPECT_EQ(terminal.text(gone.size()), gone);
}

TEST(Progress, CanBeLeftOut) {
  Progress progress(-1, 1, &fake_now);
  g_now += milliseconds(5000);
  progress.at(1);
  progress.step("x");
}

class Unfinished : public Export {
 protected:
  [[nodiscard]] fs::path left(const std::string& name) const {
    std::ofstream(folder_ / name) << "half";
    return folder_ / name;
  }
  // Of a process that has ended.
  static std::string gone() {
    const pid_t pid = ::fork();
    if (pid == 0) ::_exit(0);
    EXPECT_EQ(::waitpid(pid, nullptr, 0), pid);
    return std::to_string(pid);
  }
};

TEST_F(Unfinished, OutputsOfAProcessThatIsGoneAreRemovedAndNoOther) {
  const std::string pid = gone();
  const fs::path dead = left("run.db.tmp-" + pid);
  const fs::path living = left("run.db.tmp-" + std::to_string(::getppid()));
  const fs::path other = left("run.db.tmp-x" + pid);
  const fs::path longer = left("a.run.db.tmp-" + pid);
  EXPECT_THAT(remove_leftovers(file(".db")), ElementsAre("run.db.tmp-" + pid));
  EXPECT_FALSE(fs::exists(dead));
  for (const fs::path& kept : {living, other, longer}) EXPECT_TRUE(fs::exists(kept)) << kept;
  EXPECT_THAT(remove_leftovers(folder_ / "none" / "run.db"), IsEmpty());
}

TEST_F(Unfinished, OutputsAreRemovedAtASignalThatEndsTheProcessWithItsNumber) {
  for (const int number : {SIGINT, SIGTERM}) {
    const pid_t pid = ::fork();
    if (pid == 0) {
      stop_cleanly({file(".db"), file(".json")});
      std::ofstream(file(".db.tmp-" + std::to_string(::getpid()))) << "half";
      (void)::raise(number);
      ::_exit(0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(pid, &status, 0), pid);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 128 + number);
    EXPECT_FALSE(fs::exists(file(".db.tmp-" + std::to_string(pid))));
  }
}

TEST_F(Unfinished, ASignalThatIsIgnoredStaysSo) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    (void)std::signal(SIGINT, SIG_IGN);
    stop_cleanly({file(".db")});
    (void)::raise(SIGINT);
    ::_exit(3);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(pid, &status, 0), pid);
  EXPECT_EQ(WEXITSTATUS(status), 3);
}

}  // namespace
}  // namespace multipass::apps
