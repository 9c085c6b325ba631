import { writeFile } from 'node:fs/promises'
import { runCommand } from '#lib/local/commands/command.ts'
import { type FunctionFile, loadFunctionFiles } from '#lib/local/contracts/function-files.ts'
import { type Answers, generatedFiles } from '#lib/local/contracts/generated-files.ts'
import { answersOf } from '#lib/local/examples/answers.ts'
import { importDemo } from '#lib/local/examples/demo-copies.ts'
import { root } from '#lib/local/root.ts'

const HELP = `Writes what follows from the contracts: docs/api.md, docs/openapi.json, docs/tollgate.postman_collection.json,
docs/datasets.md, events/, infra/functions.yml, the README's table. For the answers in them it calls every example on the demo.

  npm run generate
`

async function askTheDemo(methods: readonly FunctionFile[]): Promise<Answers> {
  const demo = await importDemo()
  try {
    return await answersOf(demo, methods)
  } finally {
    await demo.remove()
  }
}

await runCommand({
  help: HELP,
  run: async () => {
    const methods = await loadFunctionFiles()
    const files = Object.entries(generatedFiles(methods, await askTheDemo(methods)))
    await Promise.all(files.map(([path, text]) => writeFile(root + path, text)))
    process.stdout.write(`Wrote ${files.length} files from the contracts.\n`)
  },
})
