// SPDX-License-Identifier: MIT
//
// Frames, and the messages that are small.
#include "journal/decode.hpp"

#include "journal/decode_fields.hpp"

namespace multipass::journal {
namespace {

// NOLINTNEXTLINE(readability-function-size): one case for each field
RunMetadata run_of(data_view bytes) {
  using F = field::Run;
  RunMetadata run;
  for (pbf_message<F> in{bytes}; in.next();) {
    switch (in.tag()) {
      case F::tool_version:
        run.tool_version = text(in);
        break;
      case F::sdk_version:
        run.sdk_version = text(in);
        break;
      case F::sdk_library:
        run.sdk_library = text(in);
        break;
      case F::simulated:
        run.simulated = number(in) != 0;
        break;
      case F::kernel_replay:
        run.kernel_replay = number(in) != 0;
        break;
      case F::replay_mode: {
        const std::string name = text(in);
        const auto mode = replay_mode_of(name);
        if (!mode) throw BadValue("unknown replay mode '" + name + "'");
        run.replay_mode = *mode;
        break;
      }
      case F::guid:
        run.guid = text(in);
        break;
      case F::command:
        run.command.push_back(text(in));
        break;
      case F::pid:
        run.pid = number(in);
        break;
      case F::ppid:
        run.ppid = number(in);
        break;
      case F::rank:
        run.rank = narrow(number(in));
        break;
      case F::hostname:
        run.hostname = text(in);
        break;
      case F::machine_id:
        run.machine_id = text(in);
        break;
      case F::system_name:
        run.system_name = text(in);
        break;
      case F::system_release:
        run.system_release = text(in);
        break;
      case F::system_version:
        run.system_version = text(in);
        break;
      case F::start_ns:
        run.start_ns = number(in);
        break;
      case F::boottime_ns:
        run.boottime_ns = number(in);
        break;
      case F::monotonic_ns:
        run.monotonic_ns = number(in);
        break;
      case F::realtime_ns:
        run.realtime_ns = number(in);
        break;
      case F::events:
        run.events = text(in);
        break;
      case F::run_token:
        run.run_token = text(in);
        break;
      case F::sets:
        run.sets.push_back(text(in));
        break;
      default:
        in.skip();
    }
  }
  return run;
}

WarningFrame warning_of(data_view bytes) {
  WarningFrame warning;
  for (pbf_message<field::Warning> in{bytes}; in.next();) {
    if (in.tag() == field::Warning::text) {
      warning.text = text(in);
    } else {
      in.skip();
    }
  }
  return warning;
}

EndFrame end_of(data_view bytes) {
  EndFrame end;
  for (pbf_message<field::End> in{bytes}; in.next();) {
    switch (in.tag()) {
      case field::End::dispatches:
        end.dispatches = number(in);
        break;
      case field::End::end_ns:
        end.end_ns = number(in);
        break;
      default:
        in.skip();
    }
  }
  return end;
}

Frame frame_of(std::string_view bytes) {
  Frame frame;
  for (pbf_message<field::Frame> in{data_view{bytes.data(), bytes.size()}}; in.next();) {
    switch (in.tag()) {
      case field::Frame::run:
        frame = run_of(message(in));
        break;
      case field::Frame::agent:
        frame = agent_of(message(in));
        break;
      case field::Frame::kernel:
        frame = kernel_of(message(in));
        break;
      case field::Frame::dispatch:
        frame = dispatch_of(message(in));
        break;
      case field::Frame::warning:
        frame = warning_of(message(in));
        break;
      case field::Frame::end:
        frame = end_of(message(in));
        break;
      default:
        in.skip();
    }
  }
  return frame;
}

}  // namespace

Result<Frame> decode(std::string_view bytes) {
  try {
    return frame_of(bytes);
  } catch (const protozero::exception& error) {
    return Status::error(std::string("malformed message: ") + error.what());
  } catch (const BadValue& error) {
    return Status::error(error.what());
  }
}

}  // namespace multipass::journal
