#!/usr/bin/env bash
# Brings AWS's runtime interface client for Node, 3 MB, to where the sweeps run packaged functions in it (test/deployed/runtime-client.ts).
# It is no package of the checkout: its installation compiles curl for minutes, and brings 80 packages.
set -euo pipefail
cd "$(dirname "$0")/.."

VERSION=4.0.2
SHA512=144e55b24c7b998367a809d65895d43ac2e9d951a076c26c0a844b1536bc2f8624d1056d02ba91f2ae7cc8f03ef900b56bbdd95895c1436007df59c802fecd39

mkdir -p .build/runtime-client
cd .build/runtime-client
npm pack --silent --prefer-offline "aws-lambda-ric@$VERSION"
echo "$SHA512  aws-lambda-ric-$VERSION.tgz" | sha512sum --check --quiet
tar -xzf "aws-lambda-ric-$VERSION.tgz"
