#!/usr/bin/env bash
# Makes the files of the container image: image-root.sh PREFIX FOLDER
# PREFIX is where the packages were installed: npm install --prefix PREFIX ./acquisition-store-*.tgz ioredis@6 prom-client@15
set -euo pipefail
prefix=$1
root=$2
node=$(readlink -f "$(command -v node)")
mkdir -p "$root"/{usr/bin,opt/acqstore,etc,data,run/acqstore,tmp}
cp "$node" "$root/usr/bin/node"
# Node's libraries, and the loader, where Node looks for them.
ldd "$node" | grep -o '/[^ ]*' | while read -r library; do
  mkdir -p "$root$(dirname "$library")"
  cp -L "$library" "$root$library"
done
if [ -d /etc/ssl/certs ]; then
  mkdir -p "$root/etc/ssl/certs"
  cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/" 2>/dev/null || true
fi
cp -R "$prefix/node_modules" "$root/opt/acqstore/"
echo 'acqstore:x:65532:65532::/run/acqstore:/sbin/nologin' >"$root/etc/passwd"
echo 'acqstore:x:65532:' >"$root/etc/group"
