#!/usr/bin/env node
// The start of `npx tollgate`. Node 22.18 and newer run TypeScript themselves.
import module from 'node:module'
import { fileURLToPath } from 'node:url'

/** The compiled sources: loading them takes half of the time that compiling them takes. An older Node has no such cache. */
module.enableCompileCache?.(fileURLToPath(new URL('../../node_modules/.cache/tollgate', import.meta.url)))
if (process.features.typescript) await import('../tollgate.ts')
else {
  process.exitCode = 1
  process.stderr.write(
    `Node ${process.versions.node} is too old: npx tollgate and npm start run the Node 24 that npm ci installs, or install 22.18 or newer\n`,
  )
}
