import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { runCommand } from '#lib/local/commands/command.ts'
import { newMethod } from '#lib/local/contracts/new-method.ts'
import { root } from '#lib/local/root.ts'

const HELP = `Lays down a new method that runs: contract, test, example, a section of docs/wire.md.

  npm run new -- <area>/<method>

Then turn it into what it is to be, and run npm run fix and npm run generate.
`

async function write([path, text]: [string, string]): Promise<void> {
  await mkdir(dirname(root + path), { recursive: true })
  await writeFile(root + path, text)
  process.stdout.write(`${path}\n`)
}

await runCommand({
  help: HELP,
  words: [1, 1],
  run: async (_options, [place = '']) => {
    for (const file of Object.entries(newMethod(place))) await write(file)
  },
})
