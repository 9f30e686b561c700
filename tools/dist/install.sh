#!/bin/sh
# Puts the files of this archive below a prefix: ~/.local if none is named.
#   ./install.sh            for you alone
#   sudo ./install.sh /usr/local
set -eu
prefix=${1:-"$HOME/.local"}
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$prefix"
cp -R "$here/bin" "$here/share" "$prefix/"
for tool in update-desktop-database:"$prefix/share/applications" update-mime-database:"$prefix/share/mime"; do
  command -v "${tool%%:*}" >/dev/null 2>&1 && "${tool%%:*}" "${tool#*:}" >/dev/null 2>&1 || true
done
echo "installed $prefix/bin/sinew"
case ":$PATH:" in
  *":$prefix/bin:"*) ;;
  *) echo "add $prefix/bin to your PATH" ;;
esac
