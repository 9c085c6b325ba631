import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'
import { root } from '#tools/machine/program.ts'
import { DEFECTS } from './defects.ts'

// `node --import` this file: the source of the defect that PLANTED names is changed while it is loaded.

const defect = DEFECTS[process.env['PLANTED'] ?? '']
if (!defect) throw new Error(`There is no planted defect ${process.env['PLANTED']}`)
const { file, find, put } = defect
if (readFileSync(root + file, 'utf8').split(find).length !== 2)
  throw new Error(`${file} does not have the planted lines once: ${find}`)

registerHooks({
  load: (url, context, next) => {
    const loaded = next(url, context)
    if (!url.startsWith('file:') || fileURLToPath(url) !== root + file) return loaded
    return { ...loaded, source: String(loaded.source).replace(find, () => put) }
  },
})
