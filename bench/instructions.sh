#!/usr/bin/env bash
# Instructions one run of each hot-path part takes, counted by callgrind: (count at 2N - count at N) / N.
# Usage: bench/instructions.sh [PART...]   Needs valgrind. Prints tab-separated values.
set -euo pipefail
cd "$(dirname "$0")/.."
runs=2000
parts=("$@")
[ ${#parts[@]} -gt 0 ] || parts=(decode encode_ack encode_wake snap fire push)
binary=$(cargo bench --no-run --bench hot_path --message-format=json 2>/dev/null |
  grep -o '"executable":"[^"]*hot_path[^"]*"' | tail -n 1 | cut -d '"' -f 4)
count() { # PART RUNS
  WAKELINE_BENCH_COUNT="$1:$2" valgrind --tool=callgrind --callgrind-out-file=/dev/null "$binary" 2>&1 |
    sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
}
printf 'part\tinstructions\n'
for part in "${parts[@]}"; do
  printf '%s\t%s\n' "$part" $((($(count "$part" $((2 * runs))) - $(count "$part" $runs)) / runs))
done
