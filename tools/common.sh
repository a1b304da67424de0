# Shared by tools/demo and tools/test; POSIX sh, for a machine that has nothing else yet. The
# caller sets `me` (its name in messages) and stands in the project's root.

: "${SOTTO_CACHE_DIR:=${XDG_CACHE_HOME:-$HOME/.cache}/sotto}"
export SOTTO_CACHE_DIR
logs=build/logs
child=

say() { printf '%s: %s\n' "$me" "$*" >&2; }

# The one failure line: WHAT: VALUE: REASON; TRY.
die() {
  printf '%s: failed: %s\n' "$me" "$*" >&2
  exit 1
}

# Stops what was started, also when the script itself is told to stop.
stop_child() {
  [ -z "$child" ] || kill "$child" 2>/dev/null || :
}
trap 'stop_child; exit 130' INT
trap 'stop_child; exit 143' TERM HUP

now_s() { date +%s; }

# One run at a time in this tree. What a killed run left at work (a compiler, apt) holds the lock as
# well, so the next run begins when it is done.
lock_tree() {
  mkdir -p build
  exec 9>build/.lock
  command -v flock >/dev/null 2>&1 || return 0
  flock -n 9 && return 0
  say "another tools/demo or tools/test, or what a killed one left, is at work; waiting for it"
  flock 9
}

# run NAME COMMAND...: output into build/logs/NAME.log, a line of life every 10 s, and the last
# telling line when it fails. Returns the command's status.
run() {
  run_name=$1
  shift
  mkdir -p "$logs"
  run_log=$logs/$run_name.log
  "$@" >"$run_log" 2>&1 </dev/null &
  child=$!
  run_started=$(now_s)
  run_said=0
  run_ticks=0
  while kill -0 "$child" 2>/dev/null; do
    sleep 0.1 2>/dev/null || sleep 1
    run_ticks=$((run_ticks + 1))
    [ $((run_ticks % 10)) -eq 0 ] || continue
    run_waited=$(($(now_s) - run_started))
    if [ "$run_waited" -ge $((run_said + 10)) ]; then
      run_said=$run_waited
      say "$run_name: $run_waited s: $(tail -n 1 "$run_log" | tr -d '\r' | cut -c 1-100)"
    fi
  done
  run_status=0
  wait "$child" || run_status=$?
  child=
  return "$run_status"
}

# The line of a log that says best why a command failed.
reason() {
  reason_line=$(grep -E -i 'error|fatal|failed|unable|not found|no such' "$1" | grep -v -E -i '^ninja: build stopped' |
    tail -n 1 | cut -c 1-240) || :
  [ -n "$reason_line" ] || reason_line=$(tail -n 1 "$1" | cut -c 1-240)
  printf '%s (log: %s)' "$reason_line" "$1"
}

# packages GROUP...: installs what of third_party/debian-packages.txt is missing.
packages() {
  packages_wanted=
  for packages_group in "$@"; do
    packages_wanted="$packages_wanted $(awk -v group="$packages_group" '$1 !~ /^#/ && $2 == group {print $1}' \
      third_party/debian-packages.txt)"
  done
  if ! command -v dpkg-query >/dev/null 2>&1; then
    say "packages: this is no Debian; taken as installed:$(printf ' %s' $packages_wanted)"
    return 0
  fi
  packages_missing=
  for packages_one in $packages_wanted; do
    case $(dpkg-query -W -f '${Status}' "$packages_one" 2>/dev/null) in
    'install ok installed') ;;
    *) packages_missing="$packages_missing $packages_one" ;;
    esac
  done
  [ -n "$packages_missing" ] || return 0
  packages_command="apt-get install --no-install-recommends$packages_missing"
  [ "$(id -u)" = 0 ] || die "packages:$packages_missing: missing, and this is not root; run: $packages_command"
  say "packages: installing$packages_missing"
  export DEBIAN_FRONTEND=noninteractive
  # A run that was killed may have left packages half configured.
  run dpkg-configure dpkg --force-confold --configure -a || die "packages: dpkg: $(reason "$run_log")"
  packages_try=1
  while :; do
    if run apt-update apt-get -q -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 update &&
      run apt-install apt-get -q -y -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 -o Dpkg::Use-Pty=0 \
        -o Dpkg::Options::=--force-confold install --no-install-recommends $packages_missing; then
      return 0
    fi
    [ "$packages_try" -lt 3 ] || die "packages: $(reason "$run_log"); try: $packages_command"
    packages_try=$((packages_try + 1))
    say "packages: $(reason "$run_log"); trying again"
    run apt-fix apt-get -q -y -f install || :
  done
}

# Parallel compilers: every core, and 1.5 GB for each.
jobs() {
  awk -v cores="$(nproc 2>/dev/null || echo 1)" \
    '/^MemAvailable:/ {fit = int($2 / 1500000)} END {n = fit > 0 && fit < cores ? fit : cores; print n < 1 ? 1 : n}' \
    /proc/meminfo
}

# Where `npm` is for those who need one (models out of npm packages): on PATH, or the client of the
# lock file.
npm_on_path() {
  command -v npm >/dev/null 2>&1 && return 0
  run npm-client tools/deps npm || die "npm client: $(reason "$run_log")"
  PATH="$(tail -n 1 "$run_log"):$PATH"
  export PATH
}

# configure PRESET: only when it was never done; ninja repeats it by itself when a list changes.
# What a killed run left is thrown away and made again, once.
configure() {
  configure_dir=build/$1
  if [ -f "$configure_dir/build.ninja" ] && [ -f "$configure_dir/CMakeFiles/cmake.check_cache" ]; then
    return 0
  fi
  run "configure-$1" cmake --preset "$1" && return 0
  say "configure-$1: $(reason "$run_log"); once more from nothing"
  rm -rf "$configure_dir/CMakeCache.txt" "$configure_dir/CMakeFiles" "$configure_dir/build.ninja"
  run "configure-$1" cmake --preset "$1" || die "configure $1: $(reason "$run_log")"
}

# build PRESET TARGET...: everything when no target is named.
build() {
  build_preset=$1
  shift
  configure "$build_preset"
  build_jobs=$(jobs)
  # shellcheck disable=SC2086
  run "build-$build_preset" cmake --build "build/$build_preset" -j "$build_jobs" ${1:+--target} "$@" && return 0
  # Ninja's own files may be cut short by a kill; a second go tells that from a fault of the code.
  run "build-$build_preset" cmake --build "build/$build_preset" -j "$build_jobs" ${1:+--target} "$@" ||
    die "build $build_preset: $(reason "$run_log")"
}

# third_parties: the prefixes of tools/deps, shown as they come.
third_parties() {
  tools/deps build >/dev/null || die "third parties: the line above says why"
}
