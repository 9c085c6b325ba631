import { writeFile } from 'node:fs/promises'
import type { Command } from '@commander-js/extra-typings'
import { loadResourceFiles } from '../contracts/console-config.ts'
import { type FunctionFile, loadFunctionFiles } from '../contracts/function-files.ts'
import { type Answers, generatedFiles } from '../contracts/generated-files.ts'
import { answersOf } from '../examples/answers.ts'
import { importDemo } from '../examples/demo-copies.ts'
import { root } from '../machine/location.ts'
import { printLine } from '../machine/terminal.ts'

/** The demo's answers to the examples of the methods. */
async function answersOfDemo(methods: readonly FunctionFile[]): Promise<Answers> {
  const demo = await importDemo()
  try {
    return await answersOf(demo, methods)
  } finally {
    await demo.remove()
  }
}

export const declare = (command: Command) =>
  command
    .description(
      'It writes docs/api.md, docs/openapi.json, docs/console-openapi.json, docs/tollgate.postman_collection.json, docs/datasets.md, events/, \
infra/functions.yml, infra/console-on.yml and the tables of docs/data-model.md and docs/switches.md. It calls every example on the demo for the answers.',
    )
    .action(async () => {
      const methods = await loadFunctionFiles()
      const generated = generatedFiles(methods, await answersOfDemo(methods), await loadResourceFiles())
      const files = Object.entries(generated)
      await Promise.all(files.map(([path, text]) => writeFile(root + path, text)))
      printLine(`Wrote ${files.length} files.`)
    })
