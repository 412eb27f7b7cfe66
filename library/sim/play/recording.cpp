// SPDX-License-Identifier: MIT
#include "sim/play/recording.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "sim/counters/json_reader.hpp"
#include "sim/play/json_values.hpp"

namespace multipass_sim::play {

namespace {

using Json = nlohmann::json;

constexpr std::uint64_t kAny = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kMost32 = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t kMostOrdinals = 1'000'000;
constexpr std::uint64_t kMostThreads = 256;
constexpr std::uint64_t kMostPayload = 1 << 16U;
constexpr std::uint64_t kMostAgents = 1024;

constexpr std::array kShape = {"cu_count", "simd_count",       "simd_per_cu",        "wave_front_size",
                               "num_xcc",  "num_shader_banks", "max_waves_per_simd", "max_engine_clk_fcompute"};

// Of a GPU too, but recordings of earlier versions do not have them.
constexpr std::array kLaterShape = {"max_waves_per_cu", "mem_clk_max"};

// Members that are small numbers and go into a payload as they are.
constexpr std::array kNumbers = {"code_object", "kernel",  "kernarg_size", "kernarg_alignment",
                                 "group",       "private", "sgprs",        "vgprs",
                                 "accum_vgprs", "bytes",   "memory",       "offset",
                                 "handle",      "flags",   "argument"};

class Reader final {
 public:
  explicit Reader(Recording& out) : out_(out) {}

  void first(JsonReader from) {
    if (const std::uint64_t schema = from.integer("recording", kAny); schema != 1) {
      from.fail("schema " + std::to_string(schema) + "; this program plays schema 1");
    }
    const std::string version = from.text("sdk");
    if (std::sscanf(version.c_str(), "%9u.%9u.%9u", &out_.major, &out_.minor, &out_.patch) != 3) {
      from.fail("\"sdk\": expected a version such as 1.4.1, found \"" + version + "\"");
    }
  }

  void line(const Json& object, const std::string& place) {
    if (!object.is_object()) throw std::runtime_error(place + ": expected an object, found " + shown(object));
    const auto part = [&](const char* name) { return JsonReader(object.at(name), place + ": " + name); };
    if (object.contains("call")) {
      event(JsonReader(object, place));
    } else if (object.contains("kind")) {
      kind(part("kind"));
    } else if (object.contains("agent")) {
      agent(part("agent"));
    } else if (object.contains("counter")) {
      counter(part("counter"));
    } else if (object.contains("config")) {
      config(part("config"));
    } else {
      throw std::runtime_error(place + ": neither a call nor a part of the set-up (kind, agent, counter, config)");
    }
  }

 private:
  std::size_t agent_of(JsonReader& from, const char* key) const {
    const std::uint64_t index = from.integer(key, kAny);
    if (index >= out_.agents.size()) {
      from.fail("\"" + std::string(key) + "\": agent " + std::to_string(index) + " is not among the " +
                std::to_string(out_.agents.size()) + " agents of the recording");
    }
    return index;
  }

  std::optional<std::size_t> agent_if(JsonReader& from, const char* key) const {
    if (!from.has(key) || from.member(key).is_null()) return std::nullopt;
    return agent_of(from, key);
  }

  void kind(JsonReader from) {
    Kind kind;
    kind.number = static_cast<int>(from.integer("number", kMostOrdinals));
    kind.name = from.text("name");
    kind.operations = texts(from, "operations");
    out_.kinds.push_back(std::move(kind));
  }

  void agent(JsonReader from) {
    if (from.integer("index", kMostAgents) != out_.agents.size()) from.fail("agents must be in order, from index 0");
    Agent agent;
    const std::string type = from.text("type");
    if (type != "gpu" && type != "cpu") from.fail("\"type\": expected gpu or cpu, found \"" + type + "\"");
    agent.gpu = type == "gpu";
    agent.node = static_cast<std::uint32_t>(from.integer("node", kMost32));
    agent.name = agent.gpu ? from.text("name") : "cpu";
    if (agent.gpu) {
      for (const char* name : kShape) agent.numbers[name] = static_cast<std::uint32_t>(from.integer(name, kMost32));
      for (const char* name : kLaterShape) {
        if (from.has(name)) agent.numbers[name] = static_cast<std::uint32_t>(from.integer(name, kMost32));
      }
      agent.local_mem_size = from.integer("local_mem_size", kAny);
      for (const auto& [block, slots] : from.member("slots").items()) {
        if (!slots.is_number_unsigned() || slots.get<std::uint64_t>() > kMost32) {
          from.fail("\"slots\": expected a number for block " + block + ", found " + shown(slots));
        }
        agent.slots[block] = slots.get<std::uint32_t>();
      }
    }
    out_.agents.push_back(std::move(agent));
  }

  void counter(JsonReader from) {
    Agent& agent = out_.agents[agent_of(from, "agent")];
    Counter counter;
    counter.id = from.integer("id", kAny);
    counter.name = from.text("name");
    counter.block = from.text("block");
    counter.expression = from.text("expression");
    counter.constant = from.flag("constant", false);
    counter.derived = from.flag("derived", false);
    counter.instances = from.integer("instances", kMostOrdinals);
    agent.counters.push_back(std::move(counter));
  }

  void config(JsonReader from) {
    if (from.integer("ordinal", kMostOrdinals) != out_.configs.size()) {
      from.fail("configurations must be in order, from ordinal 0");
    }
    Config config;
    config.agent = agent_of(from, "agent");
    config.counters = texts(from, "counters");
    std::sort(config.counters.begin(), config.counters.end());
    const std::vector<Counter>& known = out_.agents[config.agent].counters;
    for (const std::string& name : config.counters) {
      if (std::none_of(known.begin(), known.end(), [&](const Counter& counter) { return counter.name == name; })) {
        from.fail("counter " + name + " is not among those of agent " + std::to_string(config.agent));
      }
    }
    out_.configs.push_back(std::move(config));
  }

  Dispatch dispatch(JsonReader from) const {
    Dispatch dispatch;
    dispatch.size = from.integer("size", kAny);
    dispatch.agent = agent_if(from, "agent");
    dispatch.queue = from.integer("queue", kMostOrdinals);
    dispatch.kernel = from.integer("kernel", kMostOrdinals);
    dispatch.id = from.integer("id", kMostOrdinals);
    dispatch.private_size = static_cast<std::uint32_t>(from.integer("private", kMost32));
    dispatch.group_size = static_cast<std::uint32_t>(from.integer("group", kMost32));
    dispatch.workgroup = dim(from, "workgroup");
    dispatch.grid = dim(from, "grid");
    return dispatch;
  }

  static std::optional<std::int64_t> time(JsonReader& from, const char* key) {
    if (!from.has(key) || from.member(key).is_null()) return std::nullopt;
    return signed_integer(from, key);
  }

  static std::vector<CounterRecord> records(JsonReader& from) {
    constexpr unsigned kCounterShift = 48;
    std::vector<CounterRecord> out;
    for (const Json& record : array(from, "records")) {
      const bool good = record.is_array() && record.size() == 3 && record[0].is_number_unsigned() &&
                        record[0].get<std::uint64_t>() <= UINT16_MAX && record[1].is_number_unsigned() &&
                        record[1].get<std::uint64_t>() < (std::uint64_t{1} << kCounterShift) &&
                        (record[2].is_number() || record[2].is_null());
      if (!good) {
        from.fail("\"records\": expected [counter of 16 bits, instance of 48 bits, value], found " + record.dump());
      }
      out.push_back({record[0].get<std::uint64_t>() << kCounterShift | record[1].get<std::uint64_t>(),
                     record[2].is_null() ? std::nan("") : record[2].get<double>()});
    }
    return out;
  }

  static Call call_of(JsonReader& from) {
    static constexpr std::array<std::pair<const char*, Call>, 8> kCalls = {{{"configure", Call::kConfigure},
                                                                            {"start", Call::kStart},
                                                                            {"tracing", Call::kTracing},
                                                                            {"pass_count", Call::kPassCount},
                                                                            {"continue", Call::kContinue},
                                                                            {"counting", Call::kCounting},
                                                                            {"record", Call::kRecord},
                                                                            {"finalize", Call::kFinalize}}};
    const std::string name = from.text("call");
    for (const auto& [text, call] : kCalls) {
      if (name == text) return call;
    }
    from.fail("\"call\": \"" + name + "\" is unknown; docs/formats/recording.md lists those there are");
  }

  void tracing(JsonReader& from, Event& event) const {
    event.kind = from.text("kind");
    const Kind* kind = out_.kind(event.kind);
    if (kind == nullptr) from.fail("\"kind\": " + event.kind + " is not among the kinds of the recording");
    event.operation = small_integer(from, "operation");
    event.phase = static_cast<int>(from.integer("phase", kMostThreads));
    event.of_thread = from.integer("of_thread", kMostThreads);
    if (from.has("dispatch"))
      event.dispatch = dispatch(JsonReader(from.member("dispatch"), from.place() + ": dispatch"));
    if (event.dispatch && event.kind == "KERNEL_REPLAY") {
      event.pass = from.integer("pass", kAny);
      event.passes = from.integer("passes", kAny);
      event.functions = texts(from, "functions");
    }
    event.agent = agent_if(from, "agent");
    event.from = agent_if(from, "from");
    event.to = agent_if(from, "to");
    for (const char* name : kNumbers) {
      if (from.has(name) && !from.member(name).is_null()) event.numbers[name] = from.integer(name, kAny);
    }
    event.name = from.text_or_empty("name");
    if (from.has("result")) event.status = small_integer(from, "result");
    if (!from.has("attributes")) return;
    for (const Json& attribute : array(from, "attributes")) {
      if (!attribute.is_number_unsigned()) from.fail("\"attributes\": expected numbers, found " + shown(attribute));
      event.attributes.push_back(attribute.get<std::uint64_t>());
    }
  }

  void event(JsonReader from) {
    Event event;
    event.number = from.integer("n", kAny);
    from.rename(from.place() + ", call " + std::to_string(event.number));
    event.ns = from.integer("ns", INT64_MAX);
    event.thread = from.integer("thread", kMostThreads);
    event.call = call_of(from);
    const bool counts = event.call == Call::kCounting || event.call == Call::kRecord;
    const bool asks = event.call == Call::kPassCount || event.call == Call::kContinue;
    if (event.call == Call::kTracing) tracing(from, event);
    if (event.call == Call::kTracing || counts) {
      event.size = from.integer("size", kMostPayload);
      event.correlation = from.integer("correlation", kAny);
    }
    if (counts || asks) event.dispatch = dispatch(JsonReader(from.member("dispatch"), from.place() + ": dispatch"));
    if (event.call == Call::kContinue) {
      event.pass = from.integer("pass", kAny);
      event.passes = from.integer("passes", kAny);
    }
    if (event.call == Call::kConfigure || event.call == Call::kStart) {
      event.context = from.text("context");
      event.status = small_integer(from, "status");
    }
    if (from.has("data_in")) event.data_in = from.integer("data_in", kAny);
    if (from.has("data")) event.data = from.integer("data", kAny);
    event.start = time(from, "start");
    event.end = time(from, "end");
    if (event.call == Call::kCounting && !from.member("config").is_null()) {
      event.config = from.integer("config", kAny);
      if (*event.config >= out_.configs.size()) {
        from.fail("\"config\": configuration " + std::to_string(*event.config) + " is not among the " +
                  std::to_string(out_.configs.size()) + " of the recording");
      }
    }
    if (event.call == Call::kRecord) event.records = records(from);
    out_.events.push_back(std::move(event));
  }

  Recording& out_;
};

}  // namespace

const Kind* Recording::kind(int number) const noexcept {
  for (const Kind& kind : kinds) {
    if (kind.number == number) return &kind;
  }
  return nullptr;
}

const Kind* Recording::kind(const std::string& name) const noexcept {
  for (const Kind& kind : kinds) {
    if (kind.name == name) return &kind;
  }
  return nullptr;
}

Recording parse_recording(const std::string& text, const std::string& file) {
  Recording recording;
  Reader reader(recording);
  std::size_t number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    const bool cut = end == std::string::npos;
    const std::string line = text.substr(at, cut ? end : end - at);
    at = cut ? text.size() : end + 1;
    const std::string place = file + ": line " + std::to_string(++number);
    const Json object = Json::parse(line, nullptr, false);
    if (object.is_discarded()) {
      if (cut && number > 1) break;  // of a process that died
      throw std::runtime_error(place + ": no JSON; a recording has one JSON object on each line");
    }
    if (number == 1) {
      reader.first(JsonReader(object, place));
    } else {
      reader.line(object, place);
    }
  }
  if (number == 0) throw std::runtime_error(file + ": empty; a recording begins with {\"recording\":1,...}");
  if (recording.events.empty())
    throw std::runtime_error(file + ": has no calls: nothing was collected when it was made");
  std::stable_sort(recording.events.begin(), recording.events.end(),
                   [](const Event& a, const Event& b) { return a.number < b.number; });
  return recording;
}

}  // namespace multipass_sim::play
