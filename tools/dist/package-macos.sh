#!/bin/sh
# A macOS application and a disk image of it, made on a Mac with Rust: target/dist/Sinew.dmg.
# Not signed: the first start is by a right click, Open.
set -eu
cd "$(dirname "$0")/../.."
cargo build --release --locked --package sinew_cli
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
app=target/dist/Sinew.app
rm -rf "$app"
mkdir -p "$app/Contents/MacOS" "$app/Contents/Resources"
cp target/release/sinew "$app/Contents/MacOS/sinew"
cp LICENSE-MIT LICENSE-APACHE "$app/Contents/Resources/"
cat > "$app/Contents/Info.plist" <<PLIST
<?xml version="1.0" encoding="UTF-8"?>
<plist version="1.0"><dict>
  <key>CFBundleName</key><string>Sinew</string>
  <key>CFBundleIdentifier</key><string>org.sinew.Sinew</string>
  <key>CFBundleExecutable</key><string>sinew</string>
  <key>CFBundleShortVersionString</key><string>$version</string>
  <key>CFBundlePackageType</key><string>APPL</string>
  <key>NSHighResolutionCapable</key><true/>
</dict></plist>
PLIST
hdiutil create -volname Sinew -srcfolder "$app" -ov -format UDZO target/dist/Sinew.dmg
echo "wrote target/dist/Sinew.dmg"
