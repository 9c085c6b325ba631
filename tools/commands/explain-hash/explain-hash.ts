import { text } from 'node:stream/consumers'
import type { Command } from '@commander-js/extra-typings'
import { ApiError } from '#lib/api/errors.ts'
import type { SentV2 } from '#lib/api/keys/signature-v2.ts'
import { textToSign } from '#lib/api/keys/v2-text.ts'
import type { RawParameters } from '#lib/api/raw-parameters.ts'
import { explainHash } from '#lib/api/refused-hash/explain-hash.ts'
import { explainV2 } from '#lib/api/refused-hash/explain-v2.ts'
import { hashExplanation, stringToSign } from '#lib/api/refused-hash/in-words.ts'
import { IncompleteCall } from '#lib/api/refused-hash/written-call.ts'
import { findFunctionFile } from '../../contracts/function-files.ts'
import { CommandError, printLine, printNote, UsageError } from '../../machine/terminal.ts'
import {
  chooseTarget,
  findKey,
  readParameters,
  storedUniquehash,
  valuesNotRead,
  withTarget,
} from '../call/method-call.ts'
import { callLines, readCurlWords, readSentCall, type SentCall } from './sent-call.ts'

const withOptions = (command: Command) =>
  withTarget(command)
    .argument(
      '[method]',
      'the method, or a whole curl line after the other options, in quotes or not (default: read curl lines or lines of an access log from standard \
input)',
    )
    .argument('[name=value...]', 'all parameters as they were sent, also u, in the order of the request')
    .option('--hash <HASH>', 'the hash that was sent')
    .option('--old-key <KEY>', 'an earlier secret key')

type Options = ReturnType<ReturnType<typeof withOptions>['opts']>

const EXAMPLES = `
npx tollgate explain-hash devices_get u=admin user_id=10 --hash 71516eea4850f7e0300ac86adf9fb64bca845aa7
npx tollgate explain-hash curl -d 'u=admin&user_id=10&hash=...' http://localhost:3000/api/devices_get
npx tollgate explain-hash < access.log`

export const declare = (command: Command) =>
  withOptions(command)
    .description('It also names the change that mends the hash. The key is never printed.')
    .addHelpText('after', EXAMPLES)
    .action(async (method, parameters, options) => {
      if (method === 'curl') return explainCall(readCurlWords(parameters), options)
      if (method === undefined) return explainLines(callLines(await pastedLines()), options)
      if (/\s/.test(method)) return explainLines(callLines(method), options)
      const sent = {
        ...readParameters(parameters),
        ...(options.hash !== undefined && { hash: options.hash }),
      }
      printLine(await explain({ called: method, sent, url: options.url }, options))
    })

async function explain({ called, sent, url, v2 }: SentCall, options: Options): Promise<string> {
  const { method } = await findFunctionFile(called)
  const target = chooseTarget({ ...options, url: options.url ?? url })
  const key = await findKey(method, options.key, target)
  if (v2) return explainedV2(called, v2, [key, options.oldKey ?? key])
  const uniquehash = await storedUniquehash(target, sent['u'])
  const call = { contract: method, sent, key, oldKey: options.oldKey, uniquehash }
  const finding = explainHash(call)
  const { says, advice } = hashExplanation(finding, call)
  const signed = finding.accepted ? [] : [`The string to hash: ${stringToSign(call)}`]
  const unread = await valuesNotRead(method, sentTexts(sent), target)
  return [`${called}: ${says}`, ...advice, ...signed, ...unread].join('\n  ')
}

const sentTexts = (sent: RawParameters): Record<string, string> =>
  Object.fromEntries(Object.entries(sent).map(([name, value]) => [name, value ?? '']))

function explainedV2(called: string, v2: SentV2, secrets: readonly string[]): string {
  const { says, advice } = explainV2({ v2, secrets, now: new Date() })
  const text = textToSign(v2.request).split('\n')
  const lines = [...advice, 'The text to sign:', ...text.map((line) => `  ${line}`)]
  return [`${called}: ${says}`, ...lines].join('\n  ')
}

function pastedLines(): Promise<string> {
  if (process.stdin.isTTY) printNote('Paste curl lines or lines of an access log, then press Ctrl-D:')
  return text(process.stdin)
}

/** A line that cannot be read is reported; the next ones are explained. */
async function explainLines(lines: readonly string[], options: Options): Promise<void> {
  if (lines.length === 0)
    throw new UsageError('No line came: name a method, or pass curl lines or lines of an access log')
  for (const line of lines) await explainCall(readSentCall(line), options)
}

async function explainCall(reading: Promise<SentCall>, options: Options): Promise<void> {
  printLine(await reading.then((call) => explain(call, options), toSentence))
}

const NOT_READ = 1

const READABLE = [CommandError, ApiError, IncompleteCall]

function toSentence(error: unknown): string {
  if (!(error instanceof Error && READABLE.some((kind) => error instanceof kind))) throw error
  process.exitCode = NOT_READ
  return error.message
}
