// What a trace may hold, and every way in which it can be wrong.
#include "scenarios/trace_reader.h"

#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace kvrace::scenarios;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

namespace {

struct outcome {
  std::vector<trace_request> requests;
  trace_facts facts;
  std::string error;
};

outcome read(std::string_view text, std::uint32_t tokens_per_block = 512) {
  trace_reader reader(bytes_of(text), tokens_per_block);
  outcome result;
  trace_request request;
  while (reader.next(request)) result.requests.push_back(request);
  result.facts = reader.facts();
  if (reader.error()) result.error = reader.error()->to_line("t");
  return result;
}

std::string refused(std::string_view text) { return read(text).error; }

// One line, with its members in this form.
std::string line(const std::string& timestamp, const std::string& input, const std::string& output, const std::string& ids) {
  return R"({"timestamp": )" + timestamp + R"(, "input_length": )" + input + R"(, "output_length": )" + output +
         R"(, "hash_ids": )" + ids + "}\n";
}

const std::string good = line("0", "600", "7", "[0, 1]");
const std::string csv = "TIMESTAMP,ContextTokens,GeneratedTokens\n";

}  // namespace

TEST_CASE("JSON lines are read as they are, with times since the first") {
  const outcome all =
      read(line("40", "600", "7", "[0, 1]") + line("40", "1024", "0", "[0, 4294967295]") + line("3040.5", "0", "1", "[]"));
  REQUIRE(all.error.empty());
  REQUIRE(all.requests.size() == 3);
  CHECK(all.requests[0].time == nanoseconds(0));
  CHECK(all.requests[0].input_tokens == 600);
  CHECK(all.requests[0].output_tokens == 7);
  CHECK(all.requests[1].blocks == std::vector<std::uint32_t>{0, 4'294'967'295});
  CHECK(all.requests[2].time == std::chrono::microseconds(3'000'500));
  CHECK(all.requests[2].blocks.empty());
  CHECK(all.facts.format == trace_format::json_lines);
  CHECK(all.facts.requests == 3);
  CHECK(all.facts.blocks == 4);
  CHECK(all.facts.blocks_full == 3);
  CHECK(all.facts.input_tokens == 1'624);
  CHECK(all.facts.output_tokens == 8);
  CHECK(all.facts.ticks == 2);
  CHECK(all.facts.length == std::chrono::microseconds(3'000'500));
}

TEST_CASE("what is put right or passed over is counted") {
  const outcome all =
      read("\n" + good + "\r\n" + line("0", "1", "1", "[3]").insert(1, R"("session": {"a": [1, "x"]}, "turn": null, )") +
           R"({"timestamp": 1, "input_length": 0, "output_length": 0, "hash_ids": []})");
  REQUIRE(all.error.empty());
  CHECK(all.requests.size() == 3);
  CHECK(all.facts.lines_blank == 2);
  CHECK(all.facts.lines_crlf == 1);
  CHECK(all.facts.members_ignored == 2);
  CHECK(all.facts.last_line_open);
  const outcome crlf = read("TIMESTAMP,ContextTokens,GeneratedTokens\r\n2023-11-16 18:17:03,1,2\r\n");
  REQUIRE(crlf.error.empty());
  CHECK(crlf.facts.lines_crlf == 2);
  CHECK_FALSE(crlf.facts.last_line_open);
}

TEST_CASE("a member of a JSON line that is missing, wrong or there twice is named") {
  CHECK(refused(R"({"timestamp": 0, "input_length": 1, "hash_ids": [0]})"
                "\n") == "t: 1: expected the key 'output_length'");
  CHECK(refused("{}\n") == "t: 1: expected the key 'timestamp'");
  CHECK(refused(good + line("-1", "1", "1", "[0]")) == "t: 2: /timestamp: expected milliseconds from 0 to 9000000000000, not -1");
  CHECK(refused(line("1e30", "1", "1", "[0]"))
            .starts_with("t: 1: /timestamp: expected milliseconds from 0 to 9000000000000, not "));
  CHECK(refused(line("18446744073709551615", "1", "1", "[0]")) ==
        "t: 1: /timestamp: expected milliseconds from 0 to 9000000000000, not 18446744073709551615");
  CHECK(refused(line("\"0\"", "1", "1", "[0]")) == "t: 1: /timestamp: expected milliseconds from 0 to 9000000000000, not '0'");
  CHECK(refused(line("0", "1.5", "1", "[0]")) == "t: 1: /input_length: expected an integer from 0 to 4294967295, not 1.5");
  CHECK(refused(line("0", "-3", "1", "[0]")) == "t: 1: /input_length: expected an integer from 0 to 4294967295, not -3");
  CHECK(refused(line("0", "1", "4294967296", "[0]")) ==
        "t: 1: /output_length: expected an integer from 0 to 4294967295, not 4294967296");
  CHECK(refused(line("0", "1", "null", "[0]")) == "t: 1: /output_length: expected an integer from 0 to 4294967295, not null");
  CHECK(refused(line("0", "1", "[1]", "[0]")) == "t: 1: /output_length: expected an integer from 0 to 4294967295, not an array");
  CHECK(refused(line("0", "600", "1", "[0, -1]")) == "t: 1: /hash_ids/1: expected an integer from 0 to 4294967295, not -1");
  CHECK(refused(line("0", "600", "1", "[0, true]")) == "t: 1: /hash_ids/1: expected an integer from 0 to 4294967295, not true");
  CHECK(refused(line("0", "600", "1", "[0, [1]]")) ==
        "t: 1: /hash_ids/1: expected an integer from 0 to 4294967295, not an array");
  CHECK(refused(line("0", "600", "1", "[0, {}]")) ==
        "t: 1: /hash_ids/1: expected an integer from 0 to 4294967295, not an object");
  CHECK(refused(line("0", "1", "1", "0")) == "t: 1: /hash_ids: expected an array of integers, one for each block");
  CHECK(refused(line("0", "1", "1", "{\"0\": 1}")) == "t: 1: /hash_ids: expected an array of integers, one for each block");
  CHECK(refused(line("0, \"timestamp\": 1", "1", "1", "[0]")) == "t: 1: /timestamp: expected this key once");
}

TEST_CASE("blocks must be as many as the length says") {
  CHECK(refused(line("0", "1024", "1", "[0, 1]")).empty());
  CHECK(refused(good + line("0", "1025", "1", "[0, 1]")) ==
        "t: 2: /hash_ids: expected 3 blocks of 512 tokens, as input_length is 1025, not 2");
  CHECK(refused(line("0", "0", "1", "[0]")) == "t: 1: /hash_ids: expected 0 blocks of 512 tokens, as input_length is 0, not 1");
  CHECK(read(line("0", "33", "1", "[0, 1, 2]"), 16).error.empty());
}

TEST_CASE("requests are in order of time") {
  CHECK(refused(line("10", "1", "1", "[0]") + line("9", "1", "1", "[0]")) ==
        "t: 2: /timestamp: expected no time before that of the request above, from which it differs by 1.000000 ms");
  CHECK(refused(csv + "2023-11-16 18:17:03,1,1\n2023-11-16 18:17:02.5,1,1\n") ==
        "t: 3: TIMESTAMP: expected no time before that of the request above, from which it differs by 500.000000 ms");
}

TEST_CASE("what is no trace is refused where it begins") {
  CHECK(refused("") == "t: expected a trace, not an empty file");
  CHECK(refused(csv) == "t: 1: expected a request below the names of the fields");
  CHECK(refused("\n\r\n") == "t: 2: expected a trace, not an empty file");
  const std::string expected =
      "t: 1: expected a JSON object with timestamp, input_length, output_length and hash_ids, or the names of the fields "
      "TIMESTAMP,ContextTokens,GeneratedTokens, not ";
  CHECK(refused("Timestamp,Model,Request tokens,Response tokens\n5,ChatGPT,1,2\n") ==
        expected + "'Timestamp,Model,Request tokens,Response tokens'");
  CHECK(refused("[]\n") == expected + "'[]'");
  CHECK(refused("\xef\xbb\xbf" + csv).starts_with(expected));
  CHECK(refused(std::string("\0\0", 2)).starts_with(expected));
}

TEST_CASE("a line that is no JSON says where it ceases to be") {
  CHECK(refused(good + good.substr(0, 30)) ==
        "t: 2: column 31: expected JSON: invalid string: missing closing quote; expected string literal, where the file ends");
  CHECK(refused(good + "{]\n").starts_with("t: 2: column 2: expected JSON: "));
  CHECK(refused(good + "[1]\n") == "t: 2: expected a JSON object, not an array");
  CHECK(refused(good + "7\n") == "t: 2: expected a JSON object, not 7");
  CHECK(refused(good + "-7\n") == "t: 2: expected a JSON object, not -7");
  CHECK(refused(good + "\"x\"\n") == "t: 2: expected a JSON object, not 'x'");
  CHECK(refused(good + std::string("{\0}\n", 4)) == "t: 2: column 2: expected JSON, not a NUL byte");
  CHECK(refused(good + "{\"\xff\": 1}\n") == "t: 2: column 3: expected UTF-8, not byte \\xFF");
  CHECK(refused(good + "\xef\xbb\xbf" + good) == "t: 2: column 1: expected no byte order mark");
  CHECK(refused(good + good.substr(0, good.size() - 1) + good).starts_with("t: 2: column "));
  CHECK(refused(good + "{\"a\": " + std::string(100'000, '[') + "\n").starts_with("t: 2: column "));
  CHECK(refused(good + std::string(2 * trace_line_bytes_max, ' ')) == "t: 2: expected at most 1048576 bytes in a line");
}

TEST_CASE("the CSV of 2023 and that of 2024 are read alike") {
  const outcome all = read(csv +
                           "2023-11-16 18:17:03.9799600,4808,10\n"
                           "2023-11-16 18:17:04.0319600,3180,8\n"
                           "2023-11-16T18:17:05Z,1,0\n"
                           "2023-11-16 20:17:05.000001+02:00,0,5\n"
                           "2024-02-29 23:59:59.999999-00:30,4294967295,1");
  REQUIRE(all.error.empty());
  REQUIRE(all.requests.size() == 5);
  CHECK(all.requests[0].time == nanoseconds(0));
  CHECK(all.requests[0].input_tokens == 4'808);
  CHECK(all.requests[0].output_tokens == 10);
  CHECK(all.requests[1].time == milliseconds(52));
  CHECK(all.requests[2].time == std::chrono::microseconds(1'020'040));
  CHECK(all.requests[3].time == std::chrono::microseconds(1'020'041));
  // 105 days, 6 h 12 min 55.999999 s after 18:17:04.
  CHECK(all.requests[4].time ==
        std::chrono::hours(105 * 24 + 6) + std::chrono::minutes(12) + std::chrono::microseconds(56'020'039));
  CHECK(all.facts.format == trace_format::csv);
  CHECK(all.facts.blocks == 0);
  CHECK(all.facts.last_line_open);
}

TEST_CASE("a field of the CSV that is wrong is named") {
  const std::string time = "TIMESTAMP: expected a time like 2023-11-16 18:17:03.9799600, not '";
  for (const char* wrong :
       {"2023-11-16", "2023-02-29 00:00:00", "2023-13-01 00:00:00", "2023-11-16 24:00:00", "2023-11-16 18:60:00",
        "2023-11-16 18:17:60", "2023-11-16 18:17:03.", "2023-11-16 18:17:03.1234567890", "2023-11-16 18:17:03 ",
        "2023-11-16 18:17:03+2", "1969-11-16 18:17:03", "9999-11-16 18:17:03", "17", "", " 2023-11-16 18:17:03",
        "2023-1-16 18:17:03", "\"2023-11-16 18:17:03\"", "-023-11-16 18:17:03"})
    CHECK(refused(csv + wrong + ",1,1\n") == "t: 2: " + time + wrong + "'");
  const std::string row = csv + "2023-11-16 18:17:03,";
  CHECK(refused(row + "-1,1\n") == "t: 2: ContextTokens: expected an integer from 0 to 4294967295, not '-1'");
  CHECK(refused(row + "1.0,1\n") == "t: 2: ContextTokens: expected an integer from 0 to 4294967295, not '1.0'");
  CHECK(refused(row + "1,\n") == "t: 2: GeneratedTokens: expected an integer from 0 to 4294967295, not ''");
  CHECK(refused(row + "1,4294967296\n") == "t: 2: GeneratedTokens: expected an integer from 0 to 4294967295, not '4294967296'");
  CHECK(refused(row + "1") ==
        "t: 2: expected the three fields TIMESTAMP,ContextTokens,GeneratedTokens, not '2023-11-16 18:17:03,1', where the file "
        "ends");
  CHECK(refused(row + "1,2,3\n").starts_with("t: 2: expected the three fields "));
}

TEST_CASE("nothing that is cut or changed at one place is read as something else without a word") {
  const std::string text = good + line("5", "1024", "9", "[0, 2]");
  const std::size_t requests = read(text).requests.size();
  for (std::size_t length = 0; length < text.size() - 1; ++length) {
    const outcome cut = read(text.substr(0, length));
    // Cut at the end of a line it is a shorter trace.
    CHECK((!cut.error.empty() || cut.requests.size() == 1));
  }
  for (std::size_t at = 0; at < text.size(); ++at)
    for (const char changed : {'\0', '\xff', '\n', '"', '}', ']', '9', ' '}) {
      std::string other = text;
      other[at] = changed;
      const outcome result = read(other);
      CHECK((!result.error.empty() || result.requests.size() == requests));
    }
}
