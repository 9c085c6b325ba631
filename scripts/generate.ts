import { writeFile } from 'node:fs/promises'
import { runCommand } from '#lib/local/commands/command.ts'
import { loadFunctionFiles } from '#lib/local/contracts/function-files.ts'
import { generatedFiles } from '#lib/local/contracts/generated-files.ts'
import { root } from '#lib/local/root.ts'

const HELP = `Writes what follows from the contracts: docs/api.md, docs/datasets.md, events/, infra/functions.yml, the README's table.

  npm run generate
`

await runCommand({
  help: HELP,
  run: async () => {
    const files = Object.entries(generatedFiles(await loadFunctionFiles()))
    await Promise.all(files.map(([path, text]) => writeFile(root + path, text)))
    process.stdout.write(`Wrote ${files.length} files from the contracts.\n`)
  },
})
