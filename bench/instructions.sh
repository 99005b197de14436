#!/usr/bin/env bash
# Instructions one run of each hot-path part takes, counted by callgrind over 2,000 runs, first ones included.
# Usage: bench/instructions.sh [PART...]   Needs valgrind. Prints tab-separated values.
set -euo pipefail
cd "$(dirname "$0")/.."
runs=2000
parts=("$@")
[ ${#parts[@]} -gt 0 ] || parts=(decode encode_ack encode_wake snap fire push)
binary=$(cargo bench --no-run --bench hot_path --message-format=json 2>/dev/null |
  grep -o '"executable":"[^"]*hot_path[^"]*"' | tail -n 1 | cut -d '"' -f 4)
printf 'part\tinstructions\n'
for part in "${parts[@]}"; do
  # Only what the benchmark's `counted` calls, on its own thread.
  total=$(WAKELINE_BENCH_COUNT="$part:$runs" valgrind --tool=callgrind --callgrind-out-file=/dev/null \
    --toggle-collect='hot_path::counted' "$binary" 2>&1 | sed -n 's/.*Collected : \([0-9]*\).*/\1/p')
  printf '%s\t%s\n' "$part" $((total / runs))
done
