import type { Context } from 'aws-lambda'
import type { Method, Services } from '#lib/api/method.ts'
import { serve } from '#lib/api/stack/stack.ts'
import type { FunctionFile } from '#tools/contracts/function-files.ts'
import { type Answers, demoKey, exampleOf } from '#tools/contracts/generated-files.ts'
import { exampleEvent, type SentParameters, signedParameters } from '#tools/contracts/signed-call.ts'
import type { DemoCopies } from './demo-copies.ts'

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
