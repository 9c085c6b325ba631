#!/usr/bin/env node
// The start of `npx tollgate`. Node 22.18 and newer run TypeScript themselves.
import module from 'node:module'
import { fileURLToPath } from 'node:url'

/** The compiled sources, which load in half of the time. They are beside the data: a service may write nowhere else. */
module.enableCompileCache?.(fileURLToPath(new URL('../../.data/compiled', import.meta.url)))
if (process.features.typescript) {
  const { builtProgramOf } = await import('../machine/built-program.ts')
  const built = builtProgramOf(process.argv[2])
  await (built ? import(built) : import('../tollgate.ts'))
} else {
  process.exitCode = 1
  process.stderr.write(
    `Node ${process.versions.node} is too old: install 22.18 or newer, or run npm ci again with this one, and npx tollgate and npm start use the Node 24 that it brings\n`,
  )
}
