import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import type { Command } from '@commander-js/extra-typings'
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda'
import { ApiError } from '#lib/api/errors.ts'
import type { Method } from '#lib/api/method.ts'
import type { StreamedResult } from '#lib/api/response.ts'
import { pathArgument } from '../../command-line/arguments.ts'
import { answerBody, indented } from '../../contracts/answer-text.ts'
import { findFunctionFile } from '../../contracts/function-files.ts'
import { signedEvent } from '../../contracts/signed-call.ts'
import { root } from '../../machine/program.ts'
import { CommandError, printAnswer, usageError } from '../../machine/terminal.ts'
import {
  type CallTarget,
  chooseTarget,
  findKey,
  isShownChange,
  nameTarget,
  readParameters,
  withTarget,
} from '../call/method-call.ts'

const withOptions = (command: Command) =>
  withTarget(command)
    .argument('<method>', 'a method, or a consumer such as ingest_calls')
    .argument('[name=value...]', 'parameters that replace those of the event; hash=... is sent unchanged')
    .option('--event <FILE>', 'the event (default: that of the method in events/)', pathArgument)
    .option('--as-is', 'send the event unchanged (default: sign it again)')

type Options = ReturnType<ReturnType<typeof withOptions>['opts']>

export const declare = (command: Command) =>
  withOptions(command)
    .description('It uses the table of a running npm start and prints the answer.')
    .addHelpText('after', '\nnpx tollgate invoke devices_get user_id=11')
    .action(invoke)

type Handler = (
  event: APIGatewayProxyEvent,
  context: Context,
) => Promise<APIGatewayProxyResult | StreamedResult>

async function invoke(name: string, words: readonly string[], options: Options): Promise<void> {
  const target = chooseTarget(options)
  useTable(target)
  const consumer = `functions/ingest/${name}`
  if (/^\w+$/.test(name) && existsSync(`${root}${consumer}.ts`))
    return invokeConsumer(consumer, words, { ...options, target })
  const { path, method } = await findFunctionFile(name)
  if (isShownChange(method)) await nameTarget(options, target)
  const event = readEvent(options.event ?? `${root}events/${method.name}.json`)
  const sent = await signedAgain(event, method, words, { ...options, target })
  const { handler } = await handlerIn<Handler>(path)
  const context = { awsRequestId: randomUUID(), getRemainingTimeInMillis: () => 28_000 } as Context
  const answer = await handler(sent, context)
  process.stderr.write(`${answer.statusCode} ${answer.headers?.['Content-Type']}\n`)
  printAnswer(indented(await answerBody(answer)))
}

async function signedAgain(
  event: APIGatewayProxyEvent,
  method: Method,
  words: readonly string[],
  options: Options & { readonly target: CallTarget },
): Promise<APIGatewayProxyEvent> {
  if (options.asIs && words.length > 0)
    throw usageError('--as-is sends the event unchanged: leave out name=value')
  if (options.asIs) return event
  const changes = readParameters(words)
  const key = await findKey(method, options.key, options.target)
  return signedEvent(event, method, changes, key).catch((error: unknown) => {
    if (!(error instanceof ApiError)) throw error
    throw new CommandError(`The event cannot be read (${error.message}): pass --as-is to send it unchanged`)
  })
}

/** A consumer answers with the ids of the failed messages; its log holds the reasons. */
async function invokeConsumer(
  path: string,
  words: readonly string[],
  { target, ...options }: Options & { readonly target: CallTarget },
): Promise<void> {
  if (words.length > 0)
    throw usageError('A consumer takes no name=value: change the messages in a file and pass it with --event')
  await nameTarget(options, target)
  const messages = readEvent(options.event ?? `${root}events/${path.split('/').at(-1)}.json`)
  const { handler } = await handlerIn<(event: unknown) => Promise<unknown>>(path)
  process.stdout.write(`${JSON.stringify(await handler(messages), null, 2)}\n`)
}

const handlerIn = async <H>(path: string): Promise<{ readonly handler: H }> =>
  import(pathToFileURL(`${root}${path}.ts`).href)

/** The handler takes its table from the environment, as in a Lambda. */
function useTable({ url, location }: CallTarget): void {
  if (!location)
    throw new CommandError(`No npm start listens at ${url}: start it, or name another one with --data`)
  const { tableName, endpoint } = location
  Object.assign(process.env, { TABLE_NAME: tableName, IS_OFFLINE: 'true' })
  if (endpoint) process.env['DYNAMODB_ENDPOINT'] = endpoint
  else if (!process.env['AWS_REGION']) throw new CommandError('There is no local table: run npm start first')
}

function readEvent(file: string): APIGatewayProxyEvent {
  if (!existsSync(file)) throw new CommandError(`There is no file ${file}: pass --event FILE`)
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as APIGatewayProxyEvent
  } catch {
    throw new CommandError(`${file} is not JSON`)
  }
}
