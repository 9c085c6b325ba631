import { text } from 'node:stream/consumers'
import type { Command } from '@commander-js/extra-typings'
import { ApiError } from '#lib/api/errors.ts'
import { type RawParameters, readRawParameters } from '#lib/api/raw-parameters.ts'
import { explainHash } from '#lib/api/signature-diagnosis/explain-hash.ts'
import { explainV2 } from '#lib/api/signature-diagnosis/explain-v2.ts'
import { hashExplanation, stringToSign } from '#lib/api/signature-diagnosis/in-words.ts'
import {
  callOfUrl,
  callUrlIn,
  isCurl,
  readCurl,
  shellWords,
  type WrittenCall,
} from '#lib/api/signature-diagnosis/written-call.ts'
import { readV2, type SentV2 } from '#lib/api/signature-v2.ts'
import { textToSign } from '#lib/api/v2-text.ts'
import { isRefusal } from '#lib/base/refusal.ts'
import { findFunctionFile } from '../../contracts/function-files.ts'
import { CommandError, printLine, printNote, usageError } from '../../machine/terminal.ts'
import {
  chooseTarget,
  findKey,
  readParameters,
  storedUniquehash,
  valuesNotRead,
  withTarget,
} from '../call/method-call.ts'

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
  const { says, advice } = explainV2(v2, secrets, new Date())
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
    throw usageError('No line came: name a method, or pass curl lines or lines of an access log')
  for (const line of lines) await explainCall(readSentCall(line), options)
}

async function explainCall(reading: Promise<SentCall>, options: Options): Promise<void> {
  printLine(await reading.then((call) => explain(call, options), toSentence))
}

const NOT_READ = 1

function toSentence(error: unknown): string {
  if (!(error instanceof CommandError || error instanceof ApiError || isRefusal(error, 'refused_file')))
    throw error
  process.exitCode = NOT_READ
  return error.message
}

interface SentCall {
  /** The name in the URL: the method's own name or an alias. */
  readonly called: string
  readonly sent: RawParameters
  /** The address of the API; `undefined` for a line of a log. */
  readonly url: string | undefined
  /** Missing for a call without a v2 signature. */
  readonly v2?: SentV2 | undefined
}

/** The lines of a text, each with a call. A curl line may continue over several lines. */
const callLines = (text: string): string[] =>
  text
    .replace(/\\\r?\n/g, ' ')
    .split(/\r?\n/)
    .filter((line) => line.trim())

/** Reads the call in a curl line, a line of an access log, or a URL. Throws CommandError if there is none. */
const readSentCall = async (line: string): Promise<SentCall> =>
  isCurl(line) ? readCurlWords(shellWords(line)) : parametersIn(readLog(line))

/** Reads the call in the words of a curl line. Throws CommandError if there is none. */
async function readCurlWords(words: readonly string[]): Promise<SentCall> {
  const call = readCurl(words)
  if (call) return parametersIn(call)
  throw new CommandError('The curl line has no URL with /api/ in it')
}

/** Reads the parameters and the v2 signature as the API does. */
async function parametersIn({ called, url, event }: WrittenCall): Promise<SentCall> {
  const sent = await readRawParameters(event)
  return { called, sent, url: /^[^/].*?(?=\/api\/)/.exec(url)?.[0], v2: readV2(event) }
}

/** The path with its query string, in any format of an access log. */
function readLog(line: string): WrittenCall {
  const url = callUrlIn(line)
  if (url === undefined)
    throw new CommandError('A line names no call: it has no path such as /api/devices_get?u=...')
  if (!/[?&]hash=/.test(url)) {
    throw new CommandError('A line has no hash: an access log holds the query string, not the body of a POST')
  }
  return callOfUrl(url)
}
