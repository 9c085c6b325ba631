import { type Command, Option } from '@commander-js/extra-typings'
import { explainHash, type SignedCall } from '#lib/doctor/explain-hash.ts'
import { hashExplanation, stringToSign } from '#lib/doctor/in-words.ts'
import { asTables, indented } from '#lib/local/commands/answer-text.ts'
import {
  type BodyKind,
  findKey,
  methodUrl,
  readParameters,
  sendCall,
} from '#lib/local/commands/method-call.ts'
import { findFunctionFile } from '#lib/local/contracts/function-files.ts'
import { signedParameters } from '#lib/local/contracts/signed-call.ts'
import { localUrl } from '#lib/local/location.ts'
import { printAnswer } from '#lib/local/terminal.ts'

const withOptions = (command: Command) =>
  command
    .argument('<method>', 'such as devices_get')
    .argument('[name=value...]', 'the parameters')
    .option('--as <USERNAME>', 'the caller', 'admin')
    .option(
      '--url <URL>',
      'the address of the API, with or without http:// and /api (default: that of npm start)',
    )
    .option('--key <KEY>', 'the secret key (default: TOLLGATE_KEY, or that of the local installation)')
    .option('--get', 'send the parameters in the query string')
    .option('--json', 'send the parameters as a JSON body')
    .addOption(
      new Option('--format <FORMAT>', 'print the answer as indented XML, or its lists as tables')
        .choices(['xml', 'table'] as const)
        .default('xml' as const),
    )
    .option('--raw', 'print the answer unchanged')
    .option('--explain', 'explain the hash')

type Options = ReturnType<ReturnType<typeof withOptions>['opts']>

export const declare = (command: Command) =>
  withOptions(command).addHelpText('after', '\nnpm run call -- devices_get user_id=10').action(call)

async function call(name: string, words: readonly string[], options: Options): Promise<void> {
  const print = printerOf(options)
  const url = methodUrl(options.url ?? localUrl(), name)
  const { method } = await findFunctionFile(name)
  const sent = { u: options.as, ...readParameters(words) }
  const key = await findKey(method, options.key)
  const params = signedParameters(method, sent, key)
  if (options.explain) explain({ contract: method, sent: params, key })
  await show(await sendCall(url, params, bodyKind(options)), print)
}

function explain(signed: SignedCall): void {
  const finding = explainHash(signed)
  process.stderr.write(`${hashExplanation(finding, signed).says}\n`)
  if (finding.match) process.stderr.write(`The string to hash: ${stringToSign(signed)}\n`)
}

function bodyKind({ get, json }: Options): BodyKind {
  if (get) return 'query'
  return json ? 'json' : 'form'
}

function printerOf({ raw, format }: Options): (body: string) => string {
  if (raw) return (body) => body
  return format === 'table' ? asTables : indented
}

async function show(response: Response, print: (body: string) => string): Promise<void> {
  const body = await response.text()
  process.stderr.write(`${response.status} ${response.headers.get('content-type')}\n`)
  printAnswer(print(body))
}
