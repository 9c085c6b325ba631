import { writeFile } from 'node:fs/promises'
import type { Command } from '@commander-js/extra-typings'
import type { Context } from 'aws-lambda'
import type { Method, Services } from '#lib/api/method.ts'
import { serve } from '#lib/api/stack/stack.ts'
import { exampleEvent, type SentParameters, signedParameters } from '#tools/contracts/signed-call.ts'
import { loadResourceFiles } from '../contracts/console-config.ts'
import { type FunctionFile, loadFunctionFiles } from '../contracts/function-files.ts'
import { type Answers, demoKey, exampleOf, generatedFiles } from '../contracts/generated-files.ts'
import { type DemoCopies, importDemo } from '../examples/demo-copies.ts'
import { root } from '../machine/program.ts'
import { printLine } from '../machine/terminal.ts'

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

/** The demo's answer to the example of each method. Each method that writes runs on its own copy. */
export async function answersOf(demo: DemoCopies, files: readonly FunctionFile[]): Promise<Answers> {
  const methods = files.map(({ method }) => method)
  const readers = methods.filter(({ access }) => access === 'read')
  const read = await demo.on((services) =>
    Promise.all(readers.map((method) => namedAnswer(services, method))),
  )
  const written: (readonly [string, string])[] = []
  for (const method of methods.filter(({ access }) => access === 'write')) {
    written.push(await demo.on((services) => namedAnswer(services, method)))
  }
  return Object.fromEntries([...read, ...written].sort(([one], [other]) => (one < other ? -1 : 1)))
}

async function namedAnswer(services: Services, method: Method): Promise<readonly [string, string]> {
  const params = signedParameters(method, exampleOf(method.name), demoKey())
  const answer = await answerTo(services, method, params)
  if (answer.includes('<error>')) throw new Error(`The example of ${method.name} is refused: ${answer}`)
  return [method.name, answer]
}

/** The body of the answer to a POST with a form. */
export async function answerTo(services: Services, method: Method, params: SentParameters): Promise<string> {
  const context = { awsRequestId: 'example', getRemainingTimeInMillis: () => 28_000 } as Context
  const { body } = await serve(method, services)(exampleEvent(method, params), context)
  return body
}
