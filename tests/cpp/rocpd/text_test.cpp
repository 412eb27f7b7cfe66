// SPDX-License-Identifier: MIT
// Text that has broken other writers: quotes, UTF-8, long names, bytes that are no text.
#include "fixture.hpp"

namespace multipass::output::rocpd::test {
namespace {

class TextTest : public RocpdTest {
 protected:
  [[nodiscard]] std::string kernel_name_after_writing(const std::string& name) const {
    const std::unique_ptr<Sink> sink = begin_example();
    expect_ok(sink->kernel(kernel(9, name)));
    DispatchRecord dispatch = example_dispatch();
    dispatch.kernel = KernelId{9};
    expect_ok(sink->dispatch(dispatch));
    expect_ok(sink->finish());
    return Reader(target()).value("SELECT name FROM kernels");
  }
};

TEST_F(TextTest, QuotesInAKernelNameAreKept) {
  const std::string name = R"(f<'"'>("x", 'y'); --)";
  EXPECT_EQ(kernel_name_after_writing(name), name);
}

TEST_F(TextTest, Utf8InAKernelNameIsKept) {
  EXPECT_EQ(kernel_name_after_writing("nützlich€🚀"), "nützlich€🚀");
}

TEST_F(TextTest, AKernelNameOf64KiBIsKept) {
  const std::string name(std::size_t{64} * 1024, 'k');
  EXPECT_EQ(kernel_name_after_writing(name), name);
}

TEST_F(TextTest, BytesThatAreNoTextAreReplacedSoThatReadersCanDecode) {
  EXPECT_EQ(kernel_name_after_writing("k\xFFz"), "k\uFFFDz");
  EXPECT_EQ(Reader(target()).value("SELECT demangled_kernel_name FROM kernel_symbols WHERE id = 9"), "k\uFFFDz");
}

TEST_F(TextTest, QuotesInTheCommandAreKept) {
  const std::string code = "from multiprocessing.spawn import spawn_main; spawn_main(x='a')";
  const std::unique_ptr<Sink> sink = make_rocpd_sink(target());
  RunMetadata run = some_run();
  run.command = {"python", "-c", code, "a\xFF"};
  run.hostname = "o'hare";
  expect_ok(sink->begin(run));
  expect_ok(sink->finish());
  const Reader reader(target());
  EXPECT_EQ(reader.value("SELECT command FROM processes"), "python -c " + code + " a\uFFFD");
  EXPECT_EQ(reader.value("SELECT json_extract(extdata, '$.command[2]') FROM rocpd_info_process"), code);
  EXPECT_EQ(reader.value("SELECT hostname FROM processes"), "o'hare");
}

TEST_F(TextTest, QuotesInAReasonAreKept) {
  DispatchRecord dispatch = example_dispatch();
  dispatch.outcome = Outcome::kIncomplete;
  dispatch.reason = R"(it's "odd" \ here)";
  write_example({dispatch});
  EXPECT_EQ(Reader(target()).value("SELECT json_extract(extdata, '$.replay.reason') FROM rocpd_kernel_dispatch"),
            R"(it's "odd" \ here)");
}

TEST_F(TextTest, AQuoteInThePathIsNoProblem) {
  const std::filesystem::path path = directory_ / "it's 100%\".db";
  const std::unique_ptr<Sink> sink = make_rocpd_sink(path);
  expect_ok(sink->begin(some_run()));
  expect_ok(sink->finish());
  EXPECT_EQ(Reader(path).value("SELECT COUNT(*) FROM processes"), "1");
}

}  // namespace
}  // namespace multipass::output::rocpd::test
