// SPDX-License-Identifier: MIT
//
// Frames, and the messages that are small.
#include "journal/decode.hpp"

#include "journal/decode_fields.hpp"

namespace multipass::journal {
namespace {

// The member that a field is read into as it is; null when it is of another kind.
std::string RunMetadata::* text_member(field::Run tag) noexcept {
  using F = field::Run;
  switch (tag) {
    case F::tool_version:
      return &RunMetadata::tool_version;
    case F::sdk_version:
      return &RunMetadata::sdk_version;
    case F::sdk_library:
      return &RunMetadata::sdk_library;
    case F::guid:
      return &RunMetadata::guid;
    case F::hostname:
      return &RunMetadata::hostname;
    case F::machine_id:
      return &RunMetadata::machine_id;
    case F::system_name:
      return &RunMetadata::system_name;
    case F::system_release:
      return &RunMetadata::system_release;
    case F::system_version:
      return &RunMetadata::system_version;
    case F::events:
      return &RunMetadata::events;
    case F::run_token:
      return &RunMetadata::run_token;
    default:
      return nullptr;
  }
}

std::uint64_t RunMetadata::* number_member(field::Run tag) noexcept {
  using F = field::Run;
  switch (tag) {
    case F::pid:
      return &RunMetadata::pid;
    case F::ppid:
      return &RunMetadata::ppid;
    case F::start_ns:
      return &RunMetadata::start_ns;
    case F::boottime_ns:
      return &RunMetadata::boottime_ns;
    case F::monotonic_ns:
      return &RunMetadata::monotonic_ns;
    case F::realtime_ns:
      return &RunMetadata::realtime_ns;
    default:
      return nullptr;
  }
}

ReplayMode mode_of(const std::string& name) {
  const auto mode = replay_mode_of(name);
  if (!mode) throw BadValue("unknown replay mode '" + name + "'");
  return *mode;
}

RunMetadata run_of(data_view bytes) {
  using F = field::Run;
  RunMetadata run;
  for (pbf_message<F> in{bytes}; in.next();) {
    if (const auto member = text_member(in.tag())) {
      run.*member = text(in);
      continue;
    }
    if (const auto member = number_member(in.tag())) {
      run.*member = number(in);
      continue;
    }
    switch (in.tag()) {
      case F::simulated:
        run.simulated = number(in) != 0;
        break;
      case F::kernel_replay:
        run.kernel_replay = number(in) != 0;
        break;
      case F::replay_mode:
        run.replay_mode = mode_of(text(in));
        break;
      case F::command:
        run.command.push_back(text(in));
        break;
      case F::rank:
        run.rank = narrow(number(in));
        break;
      case F::sets:
        run.sets.push_back(text(in));
        break;
      case F::warm_up_pass:
        run.extras.warm_up = number(in) != 0;
        break;
      case F::timing_pass:
        run.extras.timing = number(in) != 0;
        break;
      case F::permute_groups:
        run.extras.permute = number(in) != 0;
        break;
      case F::compute_panels:
        require_packed(in);
        for (const std::uint32_t panel : in.get_packed_uint32()) run.compute_panels.push_back(panel);
        break;
      case F::keeps_instances:
        run.keeps_instances = number(in) != 0;
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

CheckpointFrame checkpoint_of(data_view bytes) {
  using F = field::Checkpoint;
  CheckpointFrame checkpoint;
  for (pbf_message<F> in{bytes}; in.next();) {
    switch (in.tag()) {
      case F::dispatches:
        checkpoint.dispatches = number(in);
        break;
      case F::in_flight:
        checkpoint.in_flight = number(in);
        break;
      case F::dropped:
        checkpoint.dropped = number(in);
        break;
      case F::at_ns:
        checkpoint.at_ns = number(in);
        break;
      default:
        in.skip();
    }
  }
  return checkpoint;
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

DispatchRecord& dispatch_in(Frame& frame) {
  if (auto* there = std::get_if<DispatchRecord>(&frame)) return *there;
  return frame.emplace<DispatchRecord>();
}

void read_frame(std::string_view bytes, Frame& frame) {
  bool known = false;
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
        read_dispatch(message(in), dispatch_in(frame));
        break;
      case field::Frame::warning:
        frame = warning_of(message(in));
        break;
      case field::Frame::end:
        frame = end_of(message(in));
        break;
      case field::Frame::checkpoint:
        frame = checkpoint_of(message(in));
        break;
      default:
        in.skip();
        continue;
    }
    known = true;
  }
  if (!known) frame = UnknownFrame{};
}

}  // namespace

Status decode_to(std::string_view bytes, Frame& to) {
  try {
    read_frame(bytes, to);
    return Status::ok();
  } catch (const protozero::exception& error) {
    return Status::error(std::string("malformed message: ") + error.what());
  } catch (const BadValue& error) {
    return Status::error(error.what());
  }
}

Result<Frame> decode(std::string_view bytes) {
  Frame frame;
  if (Status status = decode_to(bytes, frame); !status) return status;
  return frame;
}

}  // namespace multipass::journal
