#!/usr/bin/env bash
# Instructions that one run of each part of bench/hot_path.rs takes: callgrind, mean of 2,000 runs after a warm-up.
#
#   bench/instructions.sh [PART...]          counts and prints them, tab-separated
#   bench/instructions.sh --check [PART...]  shows them beside bench/instructions.tsv; exits 1 if one drifted by over 2%
#   bench/instructions.sh --update           writes bench/instructions.tsv anew, the peers included
#
# --peers counts the other JSON libraries of bench/decode_peers.rs too. Needs valgrind and a C compiler.
set -euo pipefail
cd "$(dirname "$0")/.."

parts=(nothing decode decode_shuffled decode_smallest decode_many_ranges decode_longest encode_ack encode_wake snap
  template fire push)
peers=(decode_serde_json decode_serde_json_shuffled decode_sonic_rs decode_sonic_rs_shuffled)
committed=bench/instructions.tsv
runs=2000
percent=2

fail() {
  echo "bench/instructions.sh: $*" >&2
  exit 1
}

mode=print
with_peers=
wanted=()
for argument in "$@"; do
  case $argument in
    --check) mode=check ;;
    --update) mode=update with_peers=yes ;;
    --peers) with_peers=yes ;;
    -*) fail "unknown option $argument; there are --check, --update and --peers" ;;
    *)
      [[ " ${parts[*]} ${peers[*]} " == *" $argument "* ]] || fail "no part is called $argument"
      wanted+=("$argument")
      ;;
  esac
done
if [ ${#wanted[@]} -eq 0 ]; then
  wanted=("${parts[@]}")
  [ -z "$with_peers" ] || wanted+=("${peers[@]}")
elif [ "$mode" = update ]; then
  fail "--update counts every part; leave the names out"
fi
for tool in valgrind cc; do
  command -v "$tool" >/dev/null || fail "needs $tool, which isn't installed"
done

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Hash maps draw their seeds from here, and how far a look-up probes depends on them.
cc -shared -fPIC -x c -o "$scratch/seeds.so" - <<'END'
#include <string.h>
#include <sys/types.h>
ssize_t getrandom(void *seeds, size_t length, unsigned flags) { return memset(seeds, 42, length), length; }
END

# Builds a benchmark, with cargo's options behind its name, and says where the executable is.
build() {
  cargo bench --locked --quiet --no-run --bench "$@" --message-format=json |
    grep -o "\"executable\":\"[^\"]*/$1-[^\"]*\"" | tail -n 1 | cut -d '"' -f 4
}

# Instructions a run, to the nearest: only what `counted` calls, on its own thread.
count() {
  LD_PRELOAD="$scratch/seeds.so" WAKELINE_BENCH_COUNT="$2:$runs" \
    valgrind --tool=callgrind --callgrind-out-file=/dev/null --log-file="$scratch/log" \
    --toggle-collect='*::counting::counted' "$1" >"$scratch/target-cpu" ||
    fail "the run of $2 failed: $(tail -n 3 "$scratch/log")"
  local total
  total=$(sed -n 's/.*Collected : \([0-9]*\).*/\1/p' "$scratch/log")
  [ "${total:-0}" -gt 0 ] || fail "callgrind counted nothing for $2"
  echo $(((total + runs / 2) / runs))
}

locked() {
  grep -A 1 "^name = \"$1\"$" Cargo.lock | sed -n 's/^version = "\(.*\)"/\1/p' | tail -n 1
}

# What the figures depend on, beside the code here.
facts() {
  echo "# rustc: $("${RUSTC:-rustc}" --version)"
  echo "# target-cpu: $(cat "$scratch/target-cpu")"
  echo "# valgrind: $(valgrind --version)"
  echo "# libc: $(getconf GNU_LIBC_VERSION)"
  echo "# peers: serde_json $(locked serde_json), sonic-rs $(locked sonic-rs)"
}

drifted=()
# Shows one figure beside the committed one, and remembers it if it has drifted.
judge() {
  local then drift
  then=$(awk -F '\t' -v part="$1" '$1 == part { print $2 }' "$committed")
  if [ -z "$then" ]; then
    printf '%-28s %12s %12s\n' "$1" - "$2"
    drifted+=("$1")
    return
  fi
  drift=$(($2 - then))
  awk -v part="$1" -v then="$then" -v now="$2" -v drift="$drift" \
    'BEGIN { printf "%-28s %12d %12d %+8.2f%%\n", part, then, now, 100 * drift / then }'
  [ $((100 * ${drift#-})) -le $((percent * then)) ] || drifted+=("$1")
}

case $mode in
  check) printf '%-28s %12s %12s %9s\n' part committed now drift ;;
  *) printf 'part\tinstructions\n' | tee "$scratch/rows" ;;
esac
ours=
theirs=
for part in "${wanted[@]}"; do
  if [[ " ${peers[*]} " == *" $part "* ]]; then
    binary=${theirs:=$(build decode_peers --features bench-peers)}
  else
    binary=${ours:=$(build hot_path)}
  fi
  [ -n "$binary" ] || fail "the benchmark with $part doesn't build"
  instructions=$(count "$binary" "$part")
  case $mode in
    check) judge "$part" "$instructions" ;;
    *) printf '%s\t%s\n' "$part" "$instructions" | tee -a "$scratch/rows" ;;
  esac
done

case $mode in
  update)
    {
      echo "# Instructions a run, counted by callgrind; made by bench/instructions.sh --update"
      facts
      echo "# date: $(date -u +%F)"
      cat "$scratch/rows"
    } >"$committed"
    ;;
  check)
    differently=$(diff <(grep -E '^# (rustc|target-cpu|valgrind|libc|peers): ' "$committed") <(facts) | grep '^[<>]' |
      sed 's/^< #/  committed: /; s/^> #/  here:      /' || true)
    [ -z "$differently" ] ||
      printf 'The committed figures were made otherwise, so a drift may be none of the code here:\n%s\n' "$differently"
    if [ ${#drifted[@]} -gt 0 ]; then
      fail "more than $percent% away from $committed, or not in it: ${drifted[*]}; if that is meant, run it with --update and commit the file"
    fi
    echo "No part has drifted by more than $percent%."
    ;;
esac
