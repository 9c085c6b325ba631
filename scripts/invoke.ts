import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda'
import { runCommand } from '#lib/local/commands/command.ts'
import { bodyOf, indented } from '#lib/local/commands/readable.ts'
import { findFunctionFile } from '#lib/local/contracts/function-files.ts'
import { Failure } from '#lib/local/failure.ts'
import { chooseLocation } from '#lib/local/location.ts'
import { root } from '#lib/local/root.ts'

const HELP = `Runs the handler of a method on its example event, against the local table, and prints its answer.

  npm run invoke -- <method> [--event file.json]
  npm run invoke -- ingest_calls [--event file.json]
`

type Handler = (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>

async function invoke(name: string, eventFile: string | undefined): Promise<void> {
  useLocalTable()
  const consumer = `${root}functions/ingest/${name}.ts`
  if (/^\w+$/.test(name) && existsSync(consumer)) return invokeConsumer(name, consumer, eventFile)
  const { path, method } = await findFunctionFile(name)
  const event = readEvent(eventFile ?? `${root}events/${method.name}.json`)
  const { handler } = (await import(`${root}${path}.ts`)) as { handler: Handler }
  const context = { awsRequestId: randomUUID(), getRemainingTimeInMillis: () => 28_000 } as Context
  const answer = await handler(event, context)
  process.stderr.write(`${answer.statusCode} ${answer.headers?.['Content-Type']}\n`)
  process.stdout.write(`${indented(bodyOf(answer))}\n`)
}

/** What consumes a queue answers with the messages that failed; its log tells why. */
async function invokeConsumer(name: string, path: string, eventFile: string | undefined): Promise<void> {
  const event = readEvent(eventFile ?? `${root}events/${name}.json`)
  const { handler } = (await import(path)) as { handler: (event: unknown) => Promise<unknown> }
  process.stdout.write(`${JSON.stringify(await handler(event), null, 2)}\n`)
}

/** As in a Lambda, the handler takes its table from the environment. */
function useLocalTable(): void {
  const { tableName, endpoint } = chooseLocation({})
  Object.assign(process.env, { TABLE_NAME: tableName, IS_OFFLINE: 'true' })
  if (endpoint) process.env['DYNAMODB_ENDPOINT'] = endpoint
  else if (!process.env['AWS_REGION']) throw new Failure('There is no local table: run npm start first.')
}

function readEvent(file: string): APIGatewayProxyEvent {
  if (!existsSync(file)) throw new Failure(`There is no event ${file}.`)
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as APIGatewayProxyEvent
  } catch {
    throw new Failure(`${file} is not JSON.`)
  }
}

await runCommand({
  help: HELP,
  options: { event: { type: 'string' } },
  words: [1, 1],
  run: ({ event }, [name = '']) => invoke(name, event),
})
