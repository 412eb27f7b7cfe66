// SPDX-License-Identifier: MIT
#include "output/rocpd/sqlite.hpp"

#include <fstream>

#include "fixture.hpp"

namespace multipass::output::rocpd::test {
namespace {

class SqliteTest : public RocpdTest {
 protected:
  [[nodiscard]] Database open_new() const {
    std::ofstream(target()).close();
    Result<Database> database = Database::open_private(target());
    EXPECT_TRUE(static_cast<bool>(database)) << database.message();
    return *std::move(database);
  }
};

TEST_F(SqliteTest, BindsEveryKindOfValue) {
  Database database = open_new();
  expect_ok(database.execute("CREATE TABLE t (a, b, c, d, e)"));
  Result<Statement> insert = database.prepare("INSERT INTO t VALUES (?, ?, ?, ?, ?)");
  ASSERT_TRUE(static_cast<bool>(insert)) << insert.message();
  expect_ok(insert->run({nullptr, std::int64_t{-5}, 2.5, "it's", std::string_view{}}));
  const auto row = database.first_row("SELECT typeof(a), b, c, d, typeof(e), a FROM t");
  ASSERT_TRUE(static_cast<bool>(row)) << row.message();
  EXPECT_EQ(*row, (Row{"null", "-5", "2.5", "it's", "text", "NULL"}));
}

TEST_F(SqliteTest, UnsignedNumbersKeepAllTheirBits) {
  Database database = open_new();
  expect_ok(database.execute("CREATE TABLE t (a INTEGER)"));
  Result<Statement> insert = database.prepare("INSERT INTO t VALUES (?)");
  ASSERT_TRUE(static_cast<bool>(insert));
  expect_ok(insert->run({signed_bits(0xFFFFFFFFFFFFFFFFU)}));
  EXPECT_EQ(*database.first_row("SELECT typeof(a), a FROM t"), (Row{"integer", "-1"}));
}

TEST_F(SqliteTest, AStatementWorksAgainAfterAFailedRun) {
  Database database = open_new();
  expect_ok(database.execute("CREATE TABLE t (a INTEGER PRIMARY KEY)"));
  Result<Statement> insert = database.prepare("INSERT INTO t VALUES (?)");
  ASSERT_TRUE(static_cast<bool>(insert));
  expect_ok(insert->run({std::int64_t{1}}));
  const Status failed = insert->run({std::int64_t{1}});
  EXPECT_FALSE(static_cast<bool>(failed));
  EXPECT_TRUE(database.constraint_failed());
  EXPECT_EQ(failed.message(), target().string() + ": INSERT INTO t VALUES (?): UNIQUE constraint failed: t.a");
  expect_ok(insert->run({std::int64_t{2}}));
  EXPECT_EQ(*database.first_row("SELECT COUNT(*) FROM t"), (Row{"2"}));
}

TEST_F(SqliteTest, AWrongNumberOfValuesIsAnError) {
  Database database = open_new();
  Result<Statement> select = database.prepare("SELECT ?, ?");
  ASSERT_TRUE(static_cast<bool>(select));
  EXPECT_EQ(select->run({nullptr}).message(), "internal: 1 values for SELECT ?, ?");
}

TEST_F(SqliteTest, AnUncommittedTransactionIsRolledBack) {
  Database database = open_new();
  expect_ok(database.execute("CREATE TABLE t (a)"));
  {
    const Result<Transaction> transaction = Transaction::begin(database);
    ASSERT_TRUE(static_cast<bool>(transaction));
    expect_ok(database.execute("INSERT INTO t VALUES (1)"));
  }
  EXPECT_EQ(*database.first_row("SELECT COUNT(*) FROM t"), (Row{"0"}));
}

TEST_F(SqliteTest, ATransactionIsCommittedOnce) {
  Database database = open_new();
  expect_ok(database.execute("CREATE TABLE t (a)"));
  Result<Transaction> transaction = Transaction::begin(database);
  ASSERT_TRUE(static_cast<bool>(transaction));
  expect_ok(database.execute("INSERT INTO t VALUES (1)"));
  expect_ok(transaction->commit());
  EXPECT_EQ(transaction->commit().message(), "internal: a transaction was committed twice");
  EXPECT_EQ(*database.first_row("SELECT COUNT(*) FROM t"), (Row{"1"}));
}

TEST_F(SqliteTest, ClosingWithALiveStatementIsAnError) {
  Database database = open_new();
  {
    const Result<Statement> select = database.prepare("SELECT 1");
    ASSERT_TRUE(static_cast<bool>(select));
    EXPECT_NE(database.close().message().find("cannot close the database"), std::string::npos);
  }
  expect_ok(database.close());
}

TEST_F(SqliteTest, AFileThatIsNoDatabaseIsNamed) {
  std::ofstream(target()) << std::string(4096, 'x');
  Result<Database> database = Database::open_private(target());
  ASSERT_TRUE(static_cast<bool>(database));
  const Status status = database->execute("SELECT * FROM sqlite_master");
  EXPECT_EQ(status.message(), target().string() + ": SELECT * FROM sqlite_master: file is not a database");
}

TEST_F(SqliteTest, AMissingFileIsAnErrorWithTheSystemsReason) {
  const Result<Database> database = Database::open_private(directory_ / "none.db");
  ASSERT_FALSE(static_cast<bool>(database));
  EXPECT_EQ(database.message(), (directory_ / "none.db").string() +
                                    ": cannot open the database: unable to open database file "
                                    "(No such file or directory)");
}

}  // namespace
}  // namespace multipass::output::rocpd::test
