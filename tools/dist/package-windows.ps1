# A zip for Windows, made on Windows with Rust: target\dist\sinew-VERSION-windows.zip.
$ErrorActionPreference = "Stop"
Set-Location (Join-Path $PSScriptRoot "..\..")
cargo build --release --locked --package sinew_cli
if ($LASTEXITCODE -ne 0) { exit $LASTEXITCODE }
$version = (Select-String -Path Cargo.toml -Pattern '^version = "(.*)"').Matches[0].Groups[1].Value
$folder = "target\dist\sinew-$version-windows"
New-Item -ItemType Directory -Force $folder | Out-Null
Copy-Item target\release\sinew.exe, README.md, LICENSE-MIT, LICENSE-APACHE $folder
Compress-Archive -Force -Path "$folder\*" -DestinationPath "$folder.zip"
Write-Output "wrote $folder.zip"
