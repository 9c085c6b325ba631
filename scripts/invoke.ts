import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import type { Command } from '@commander-js/extra-typings'
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda'
import { ApiError } from '#lib/api/errors.ts'
import type { Method } from '#lib/api/method.ts'
import { findKey, readParameters } from '#lib/local/commands/method-call.ts'
import { bodyOf, indented } from '#lib/local/commands/readable.ts'
import { findFunctionFile } from '#lib/local/contracts/function-files.ts'
import { signedEvent } from '#lib/local/contracts/signed-call.ts'
import { chooseLocation, root } from '#lib/local/location.ts'
import { CommandError } from '#lib/local/terminal.ts'

const withOptions = (command: Command) =>
  command
    .argument('<method>', 'a method, or a consumer such as ingest_calls')
    .argument('[name=value...]', 'parameters that replace those of the event; hash=... is sent as it is')
    .option('--event <FILE>', 'the event; else the one in events/')
    .option('--key <KEY>', 'the secret key; else TOLLGATE_KEY, else that of the local installation')
    .option('--as-is', 'sends the event as the file has it; otherwise it is signed again')

type Options = ReturnType<ReturnType<typeof withOptions>['opts']>

export const declare = (command: Command) =>
  withOptions(command)
    .description('It works on the table of a running npm start, and prints the answer.')
    .addHelpText('after', '\nnpm run invoke -- devices_get user_id=11')
    .action(invoke)

type Handler = (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>

async function invoke(name: string, words: readonly string[], options: Options): Promise<void> {
  useLocalTable()
  const consumer = `functions/ingest/${name}`
  if (/^\w+$/.test(name) && existsSync(`${root}${consumer}.ts`))
    return invokeConsumer(consumer, words, options)
  const { path, method } = await findFunctionFile(name)
  const event = readEvent(options.event ?? `${root}events/${method.name}.json`)
  const sent = await signed(event, { method, words, options })
  const { handler } = await handlerIn<Handler>(path)
  const context = { awsRequestId: randomUUID(), getRemainingTimeInMillis: () => 28_000 } as Context
  const answer = await handler(sent, context)
  process.stderr.write(`${answer.statusCode} ${answer.headers?.['Content-Type']}\n`)
  process.stdout.write(`${indented(bodyOf(answer))}\n`)
}

interface Asked {
  readonly method: Method
  readonly words: readonly string[]
  readonly options: Options
}

async function signed(
  event: APIGatewayProxyEvent,
  { method, words, options }: Asked,
): Promise<APIGatewayProxyEvent> {
  if (options.asIs && words.length > 0)
    throw new CommandError('--as-is changes nothing: leave out name=value.')
  if (options.asIs) return event
  const changes = readParameters(words)
  const key = await findKey(method, options.key)
  return signedEvent(event, method, changes, key).catch((error: unknown) => {
    if (!(error instanceof ApiError)) throw error
    throw new CommandError(`The event cannot be read (${error.message}): --as-is sends it as it is.`)
  })
}

/** What consumes a queue answers with the messages that failed; its log tells why. */
async function invokeConsumer(path: string, words: readonly string[], { event }: Options): Promise<void> {
  if (words.length > 0)
    throw new CommandError('The messages of a queue are changed in their file: name it with --event.')
  const messages = readEvent(event ?? `${root}events/${path.split('/').at(-1)}.json`)
  const { handler } = await handlerIn<(event: unknown) => Promise<unknown>>(path)
  process.stdout.write(`${JSON.stringify(await handler(messages), null, 2)}\n`)
}

const handlerIn = async <H>(path: string): Promise<{ readonly handler: H }> =>
  import(pathToFileURL(`${root}${path}.ts`).href)

/** As in a Lambda, the handler takes its table from the environment. */
function useLocalTable(): void {
  const { tableName, endpoint } = chooseLocation({})
  Object.assign(process.env, { TABLE_NAME: tableName, IS_OFFLINE: 'true' })
  if (endpoint) process.env['DYNAMODB_ENDPOINT'] = endpoint
  else if (!process.env['AWS_REGION']) throw new CommandError('There is no local table: run npm start first.')
}

function readEvent(file: string): APIGatewayProxyEvent {
  if (!existsSync(file)) throw new CommandError(`There is no event ${file}.`)
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as APIGatewayProxyEvent
  } catch {
    throw new CommandError(`${file} is not JSON.`)
  }
}
