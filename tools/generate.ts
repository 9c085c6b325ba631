import { writeFile } from 'node:fs/promises'
import type { Command } from '@commander-js/extra-typings'
import { loadResourceFiles } from '#tools/contracts/console-config.ts'
import { type FunctionFile, loadFunctionFiles } from '#tools/contracts/function-files.ts'
import { type Answers, generatedFiles } from '#tools/contracts/generated-files.ts'
import { answersOf } from '#tools/examples/answers.ts'
import { importDemo } from '#tools/examples/demo-copies.ts'
import { root } from '#tools/machine/location.ts'
import { printLine } from '#tools/machine/terminal.ts'

async function demoAnswers(methods: readonly FunctionFile[]): Promise<Answers> {
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
      const files = Object.entries(
        generatedFiles(methods, await demoAnswers(methods), await loadResourceFiles()),
      )
      await Promise.all(files.map(([path, text]) => writeFile(root + path, text)))
      printLine(`Wrote ${files.length} files.`)
    })
