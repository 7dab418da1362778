#!/bin/sh
# Installs ragctl from an unpacked bundle. Needs neither network nor anything beyond a POSIX system:
#   ./install --to FOLDER [--home HOME]
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P)
fail() { printf 'install: %s\n' "$1" >&2; exit "${2:-1}"; }

case $(uname -s) in Linux) system=linux ;; Darwin) system=darwin ;; *) system=$(uname -s) ;; esac
case $(uname -m) in x86_64 | amd64) processor=x64 ;; aarch64 | arm64) processor=arm64 ;; *) processor=$(uname -m) ;; esac
grep -q "\"platform\": \"$system-$processor\"" "$here/bundle.json" ||
  fail "this bundle is for another platform than $system-$processor: see \"platform\" in $here/bundle.json" 2

if command -v sha256sum >/dev/null 2>&1; then check='sha256sum -c --quiet'
elif command -v shasum >/dev/null 2>&1; then check='shasum -a 256 -c -q'
else check=''; printf 'install: neither sha256sum nor shasum is here; ragctl itself verifies the files\n' >&2
fi
if [ -n "$check" ]; then
  # Two words and more on purpose.
  # shellcheck disable=SC2086
  (cd "$here" && $check SHA256SUMS >&2) || fail 'a file is missing or altered: unpack the bundle again' 7
fi

node=$here/node/bin/node
"$node" --version >/dev/null 2>&1 || fail "$node does not start on this system: it needs glibc 2.28 or newer"
entry=$(sed -n 's/^ *"entry": "\(.*\)",$/\1/p' "$here/bundle.json")
exec "$node" "$here/$entry" bundle install "$here" "$@"
