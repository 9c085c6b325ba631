import { explainHash, type SignedCall } from '#lib/doctor/explain-hash.ts'
import { inWords, stringToSign } from '#lib/doctor/in-words.ts'
import { asTables } from '#lib/local/commands/answer-tables.ts'
import { runCommand, type Values } from '#lib/local/commands/command.ts'
import { findKey, methodUrl, readParameters, type Sending, send } from '#lib/local/commands/method-call.ts'
import { indented } from '#lib/local/commands/readable.ts'
import { findFunctionFile } from '#lib/local/contracts/function-files.ts'
import { signedParameters } from '#lib/local/contracts/signed-parameters.ts'
import { Failure } from '#lib/local/failure.ts'
import { localUrl } from '#lib/local/location.ts'

const HELP = `Calls a method, signed, and prints its answer.

  npm run call -- <method> [name=value ...] [options]

  --as <username>   the caller (admin)
  --url <URL>       where the API is, with or without http:// and /api; else where npm start listens
  --key <key>       the secret key; else TOLLGATE_KEY, else that of the local installation
  --get             sends the parameters in the query string
  --json            sends them as a JSON body
  --format table    prints the lists of the answer as tables; xml, unless said otherwise, prints it indented
  --raw             prints the answer as it came
  --explain         says what the hash is made of
  --help            this text

  npm run call -- devices_get user_id=10
`

const OPTIONS = {
  as: { type: 'string', default: 'admin' },
  url: { type: 'string' },
  key: { type: 'string' },
  get: { type: 'boolean' },
  json: { type: 'boolean' },
  format: { type: 'string', default: 'xml' },
  raw: { type: 'boolean' },
  explain: { type: 'boolean' },
} as const

type Options = Values<typeof OPTIONS>

async function call(name: string, words: readonly string[], options: Options): Promise<void> {
  const print = printerOf(options)
  const url = methodUrl(options.url ?? localUrl(), name)
  const { method } = await findFunctionFile(name)
  const sent = { u: options.as, ...readParameters(words) }
  const key = await findKey(method, options.key)
  const params = signedParameters(method, sent, key)
  if (options.explain) explain({ contract: method, sent: params, key })
  await show(await send({ url, params, as: bodyOf(options) }), print)
}

function explain(signed: SignedCall): void {
  const finding = explainHash(signed)
  process.stderr.write(`${inWords(finding, signed).says}\n`)
  if (finding.match) process.stderr.write(`The string to hash: ${stringToSign(signed)}\n`)
}

function bodyOf({ get, json }: Options): Sending['as'] {
  if (get) return 'query'
  return json ? 'json' : 'form'
}

const FORMATS: Readonly<Record<string, (body: string) => string>> = { xml: indented, table: asTables }

function printerOf({ raw, format }: Options): (body: string) => string {
  const print = FORMATS[format]
  if (!print) throw new Failure(`--format takes ${Object.keys(FORMATS).join(' or ')}.`)
  return raw ? (body) => body : print
}

async function show(response: Response, print: (body: string) => string): Promise<void> {
  const body = await response.text()
  process.stderr.write(`${response.status} ${response.headers.get('content-type')}\n`)
  process.stdout.write(`${print(body)}\n`)
}

await runCommand({
  help: HELP,
  options: OPTIONS,
  words: [1, Number.POSITIVE_INFINITY],
  run: (options, [name = '', ...words]) => call(name, words, options),
})
