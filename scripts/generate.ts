import { writeFile } from 'node:fs/promises'
import { loadFunctionFiles } from '#lib/local/contracts/function-files.ts'
import { generatedFiles } from '#lib/local/contracts/generated-files.ts'
import { root } from '#lib/local/root.ts'

const files = Object.entries(generatedFiles(await loadFunctionFiles()))
await Promise.all(files.map(([path, text]) => writeFile(root + path, text)))
process.stdout.write(`Wrote ${files.length} files from the contracts.\n`)
