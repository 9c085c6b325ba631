import { writeFile } from 'node:fs/promises'
import type { Command } from '@commander-js/extra-typings'
import { loadResourceFiles } from '../contracts/console-config.ts'
import { type FunctionFile, loadFunctionFiles } from '../contracts/function-files.ts'
import { type Answers, generatedFiles } from '../contracts/generated-files.ts'
import { answersOf } from '../examples/answers.ts'
import { importDemo } from '../examples/demo-copies.ts'
import { FIRST_CALL_FILE, firstCall } from '../examples/first-call.ts'
import { root } from '../machine/location.ts'
import { printLine } from '../machine/terminal.ts'

/** What the demo answers to the examples of the methods, and the picture of a first session on it. */
async function onDemo(methods: readonly FunctionFile[]): Promise<{ answers: Answers; picture: string }> {
  const demo = await importDemo()
  try {
    return { answers: await answersOf(demo, methods), picture: await firstCall(demo) }
  } finally {
    await demo.remove()
  }
}

export const declare = (command: Command) =>
  command
    .description(
      'It writes docs/api.md, docs/openapi.json, docs/console-openapi.json, docs/tollgate.postman_collection.json, docs/datasets.md, events/, \
infra/functions.yml, infra/console-on.yml and the tables of docs/data-model.md and docs/switches.md. It calls every example on the demo for the answers, and runs the commands of docs/images/first-call.svg.',
    )
    .action(async () => {
      const methods = await loadFunctionFiles()
      const { answers, picture } = await onDemo(methods)
      const generated = generatedFiles(methods, answers, await loadResourceFiles())
      const files = Object.entries({ ...generated, [FIRST_CALL_FILE]: picture })
      await Promise.all(files.map(([path, text]) => writeFile(root + path, text)))
      printLine(`Wrote ${files.length} files.`)
    })
