#!/bin/sh
# Installs Acquisition Store for one user, without root. The archive follows this text; run it with --help.
set -eu
VERSION='@VERSION@'
SHA256='@SHA256@'
START=@START@

program=${0##*/}
data=${XDG_DATA_HOME:-$HOME/.local/share}
target=$data/acquisition-store
link=$HOME/.local/bin/acqstore

fail() {
  printf '%s: %s\n' "$program" "$*" >&2
  exit 1
}

help() {
  cat <<TEXT
Acquisition Store $VERSION

  sh $program                    installs it for you, in $target
  sh $program --unpack FOLDER    only unpacks it into a new folder
  sh $program --remove           removes what it installed
TEXT
}

archive() {
  tail -c "+$START" "$0"
}

# unpack FOLDER
unpack() {
  if command -v sha256sum >/dev/null; then
    sum=$(archive | sha256sum)
    [ "${sum%% *}" = "$SHA256" ] || fail 'is incomplete or was changed. Download it again.'
  fi
  mkdir -p "$1"
  archive | tar -xzf - -C "$1" --strip-components=1
}

# Tells the desktop about files that came or went.
refresh() {
  if command -v update-mime-database >/dev/null && [ -d "$data/mime/packages" ]; then
    update-mime-database "$data/mime" >/dev/null 2>&1 || :
  fi
  if command -v update-desktop-database >/dev/null && [ -d "$data/applications" ]; then
    update-desktop-database -q "$data/applications" || :
  fi
}

install_it() {
  case $target in
    *[\"\`\$\\]*) fail "$target has a quote, dollar sign or backslash, which menus cannot start. Use --unpack." ;;
  esac
  if [ -e "$link" ] || [ -L "$link" ]; then
    [ "$(readlink "$link")" = "$target/acqstore" ] || fail "$link is another program. Move it, and start again."
  fi
  draft=$target.$$
  trap 'rm -rf "$draft"' EXIT
  unpack "$draft"
  # For another processor, or a system that is too old.
  if ! reason=$("$draft/acqstore" --version 2>&1); then
    fail "the program does not run on this computer ($(uname -m)): $reason"
  fi
  rm -rf "$target"
  mv "$draft" "$target"
  trap - EXIT
  mkdir -p "${link%/*}" "$data/applications" "$data/mime/packages" "$data/icons/hicolor/scalable/apps"
  ln -sf "$target/acqstore" "$link"
  # In a desktop entry the path is in quotes, since it may have spaces, and a percent sign is doubled.
  path=$(printf '%s' "$target/acqstore" | sed 's/%/%%/g; s/[&|]/\\&/g')
  sed "s|^Exec=acqstore|Exec=\"$path\"|; /^TryExec=/d" "$target/share/acquisition-store.desktop" \
    >"$data/applications/acquisition-store.desktop"
  cp "$target/share/acquisition-store.xml" "$data/mime/packages/"
  cp "$target/share/acquisition-store.svg" "$data/icons/hicolor/scalable/apps/"
  refresh
  printf '%s\n' "Acquisition Store $VERSION is installed in $target." \
    "Start it from the menu of your desktop, or with $link." \
    "To remove it: sh $program --remove"
}

remove_it() {
  [ -x "$target/acqstore" ] || fail "nothing is installed in $target."
  rm -rf "$target"
  if [ "$(readlink "$link" 2>/dev/null)" = "$target/acqstore" ]; then rm "$link"; fi
  rm -f "$data/applications/acquisition-store.desktop" "$data/mime/packages/acquisition-store.xml" \
    "$data/icons/hicolor/scalable/apps/acquisition-store.svg"
  refresh
  printf '%s\n' "Acquisition Store was removed. Settings and logs remain in ~/.config and ~/.local/state."
}

case "${1-}" in
  '') install_it ;;
  --unpack)
    [ -n "${2-}" ] || fail '--unpack needs a folder.'
    [ ! -e "$2" ] || fail "$2 exists already."
    unpack "$2"
    ;;
  --remove) remove_it ;;
  --help | -h) help ;;
  *) fail "$1 is not an option. --help lists them." ;;
esac
exit 0
