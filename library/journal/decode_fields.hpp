// SPDX-License-Identifier: MIT
//
// What the decoders of the messages share: a field read with its wire type checked, so that a field of another type is
// an error and not a wrong value. Private to the decoder. Pure; any thread. Throws BadValue and protozero's exceptions,
// which decode() catches.
#pragma once

#include <array>
#include <cstdint>
#include <protozero/pbf_message.hpp>
#include <stdexcept>
#include <string>

#include "base/utf8.hpp"
#include "journal/decode.hpp"
#include "journal/fields.hpp"
#include "model/names.hpp"

namespace multipass::journal {

using protozero::data_view;
using protozero::pbf_message;

// A value that has the right wire form and the wrong content.
class BadValue final : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

inline std::uint32_t narrow(std::uint64_t value) {
  if (value > UINT32_MAX) throw BadValue("a 32-bit number is out of range");
  return static_cast<std::uint32_t>(value);
}

template <typename Enum, std::size_t N>
Enum by_name(const std::string& name, const std::array<Enum, N>& all) {
  for (const Enum value : all)
    if (name_of(value) == name) return value;
  throw BadValue("unknown name '" + name + "'");
}

template <typename Tag>
std::uint64_t number(pbf_message<Tag>& in) {
  if (in.wire_type() != protozero::pbf_wire_type::varint) throw BadValue("a number has another wire type");
  return in.get_uint64();
}
template <typename Tag>
std::string text(pbf_message<Tag>& in) {
  if (in.wire_type() != protozero::pbf_wire_type::length_delimited) throw BadValue("a text has another wire type");
  // The bytes of a file: what is not UTF-8 would make every output of it unreadable.
  std::string value = in.get_string();
  return is_clean_text(value) ? value : clean_text(value);
}
template <typename Tag>
data_view message(pbf_message<Tag>& in) {
  if (in.wire_type() != protozero::pbf_wire_type::length_delimited) throw BadValue("a message has another wire type");
  return in.get_view();
}

template <typename Tag>
void require_packed(pbf_message<Tag>& in) {
  if (in.wire_type() != protozero::pbf_wire_type::length_delimited) throw BadValue("a list is not packed");
}

AgentFrame agent_of(data_view bytes);
KernelSymbol kernel_of(data_view bytes);
// In place of what the record holds, whose memory is used again.
void read_dispatch(data_view bytes, DispatchRecord& dispatch);

}  // namespace multipass::journal
