import { type Command, Option } from '@commander-js/extra-typings'
import { explainHash, type SignedCall } from '#lib/api/signature-diagnosis/explain-hash.ts'
import { hashExplanation, stringToSign } from '#lib/api/signature-diagnosis/in-words.ts'
import { asJson, asTables, indented } from '../../contracts/answer-text.ts'
import { findFunctionFile } from '../../contracts/function-files.ts'
import { signedParameters } from '../../contracts/signed-call.ts'
import { v2Headers } from '../../contracts/signed-v2.ts'
import { defaultNotice } from '../../machine/location.ts'
import { printAnswer, printNote } from '../../machine/terminal.ts'
import {
  type BodyKind,
  type CallTarget,
  chooseTarget,
  findKey,
  ignoredParameters,
  isRefusedAnswer,
  isShownChange,
  methodUrl,
  nameTarget,
  otherKeyNotice,
  readParameters,
  requestOf,
  sendCall,
  withTarget,
} from './method-call.ts'

const withOptions = (command: Command) =>
  withTarget(command)
    .argument('<method>', 'such as devices_get')
    .argument('[name=value...]', 'the parameters')
    .option('--as <USERNAME>', 'the caller', 'admin')
    .option('--get', 'send the parameters in the query string')
    .option('--json', 'send the parameters as a JSON body')
    .addOption(
      new Option(
        '--format <FORMAT>',
        'print the answer as indented XML, its lists as tables, or all of it as JSON',
      )
        .choices(['xml', 'table', 'json'] as const)
        .default('xml' as const),
    )
    .option('--raw', 'print the answer unchanged')
    .option('--explain', 'explain the hash')
    .addOption(new Option('--v2', 'sign with v2 instead of the hash (docs/keys.md)').conflicts('explain'))

type Options = ReturnType<ReturnType<typeof withOptions>['opts']>

export const declare = (command: Command) =>
  withOptions(command)
    .description('Exit code 1: the answer is a refusal.')
    .addHelpText('after', '\nnpx tollgate call devices_get user_id=10')
    .action(call)

async function call(name: string, words: readonly string[], options: Options): Promise<void> {
  const print = printerOf(options)
  const target = chooseTarget(options)
  const { method } = await findFunctionFile(name)
  if (isShownChange(method)) await nameTarget(options, target)
  const sent = { u: options.as, ...readParameters(words) }
  const key = await findKey(method, options.key, target)
  const params = options.v2 ? sent : signedParameters(method, sent, key)
  // A URL names an installation.
  const notice = options.url === undefined ? defaultNotice(options) : undefined
  if (notice !== undefined) printNote(notice)
  for (const line of await ignoredParameters(method, sent, target)) printNote(line)
  if (options.explain) await explain({ contract: method, sent: params, key }, target)
  const request = requestOf(methodUrl(target.url, name), params, bodyKind(options))
  const signature = options.v2 && key ? v2Headers(request, key, new Date()) : {}
  await show(await sendCall({ ...request, headers: { ...request.headers, ...signature } }), print)
}

async function explain(signed: SignedCall, target: CallTarget): Promise<void> {
  const finding = explainHash(signed)
  const notice = await otherKeyNotice(signed.key, target)
  process.stderr.write(`${notice ?? hashExplanation(finding, signed).says}\n`)
  if (finding.match) process.stderr.write(`The string to hash: ${stringToSign(signed)}\n`)
}

function bodyKind({ get, json }: Options): BodyKind {
  if (get) return 'query'
  return json ? 'json' : 'form'
}

function printerOf({ raw, format }: Options): (body: string) => string {
  if (raw) return (body) => body
  return PRINTERS[format]
}

const PRINTERS = { xml: indented, table: asTables, json: asJson }

async function show(response: Response, print: (body: string) => string): Promise<void> {
  const body = await response.text()
  process.stderr.write(`${response.status} ${response.headers.get('content-type')}\n`)
  printAnswer(print(body))
  if (isRefusedAnswer(response.status, body)) process.exitCode = 1
}
