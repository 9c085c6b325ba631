import { writeFile } from 'node:fs/promises'
import { loadFunctionFiles, root } from '#lib/local/function-files.ts'
import { generatedFiles } from '#lib/local/generated-files.ts'

const files = Object.entries(generatedFiles(await loadFunctionFiles()))
await Promise.all(files.map(([path, text]) => writeFile(root + path, text)))
process.stdout.write(`Wrote ${files.length} files from the contracts.\n`)
