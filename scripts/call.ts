import { runCommand, type Values } from '#lib/local/commands/command.ts'
import { findKey, readParameters, type Sending, send } from '#lib/local/commands/method-call.ts'
import { indented } from '#lib/local/commands/readable.ts'
import { findFunctionFile } from '#lib/local/contracts/function-files.ts'
import { signedParameters } from '#lib/local/contracts/signed-parameters.ts'
import { Failure } from '#lib/local/failure.ts'

const HELP = `Calls a method, signed, and prints its answer.

  npm run call -- <method> [name=value ...] [options]

  --as <username>   the caller (admin)
  --url <URL>       where the API is (http://localhost:3000)
  --key <key>       the secret key; else TOLLGATE_KEY, else that of the local installation
  --get             sends the parameters in the query string
  --json            sends them as a JSON body
  --raw             prints the answer as it came
  --help            this text

  npm run call -- devices_get user_id=10
`

const OPTIONS = {
  as: { type: 'string', default: 'admin' },
  url: { type: 'string', default: 'http://localhost:3000' },
  key: { type: 'string' },
  get: { type: 'boolean' },
  json: { type: 'boolean' },
  raw: { type: 'boolean' },
} as const

type Options = Values<typeof OPTIONS>

async function call(name: string, words: readonly string[], options: Options): Promise<void> {
  if (!URL.canParse(options.url)) throw new Failure(`${options.url} is not a URL.`)
  const { method } = await findFunctionFile(name)
  const sent = { u: options.as, ...readParameters(words) }
  const params = signedParameters(method, sent, await findKey(method, options.key))
  const url = `${options.url.replace(/\/$/, '')}/api/${name}`
  await show(await send({ url, params, as: bodyOf(options) }), options)
}

function bodyOf({ get, json }: Options): Sending['as'] {
  if (get) return 'query'
  return json ? 'json' : 'form'
}

async function show(response: Response, { raw }: Options): Promise<void> {
  const body = await response.text()
  process.stderr.write(`${response.status} ${response.headers.get('content-type')}\n`)
  process.stdout.write(`${raw ? body : indented(body)}\n`)
}

await runCommand({
  help: HELP,
  options: OPTIONS,
  words: [1, Number.POSITIVE_INFINITY],
  run: (options, [name = '', ...words]) => call(name, words, options),
})
