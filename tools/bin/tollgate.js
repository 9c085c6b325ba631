#!/usr/bin/env node
// The start of `npx tollgate`. Node 22.18 and newer run TypeScript themselves, earlier ones through tsx.
import module from 'node:module'
import { fileURLToPath } from 'node:url'

/** The compiled sources: loading them takes half of the time that compiling them takes. Node 20 has no such cache. */
module.enableCompileCache?.(fileURLToPath(new URL('../../node_modules/.cache/tollgate', import.meta.url)))
if (!process.features.typescript) (await import('tsx/esm/api')).register()
await import('../tollgate.ts')
