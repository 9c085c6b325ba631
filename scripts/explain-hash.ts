import { text } from 'node:stream/consumers'
import { ApiError } from '#lib/api/errors.ts'
import { explainHash } from '#lib/doctor/explain-hash.ts'
import { inWords, stringToSign } from '#lib/doctor/in-words.ts'
import { runCommand, type Values } from '#lib/local/commands/command.ts'
import { findKey, readParameters } from '#lib/local/commands/method-call.ts'
import { callLines, readCall, type SentCall } from '#lib/local/commands/sent-call.ts'
import { findFunctionFile } from '#lib/local/contracts/function-files.ts'
import { Failure } from '#lib/local/failure.ts'

const HELP = `Says what the hash of a call was made of, and what to change when it is refused.

  npm run explain-hash -- <method> [name=value ...] --hash <hash> [options]
  npm run explain-hash < curl lines, or lines of an access log

  --hash <hash>      the hash that was sent
  --key <key>        the secret key; else TOLLGATE_KEY, else that of the local installation
  --old-key <key>    a key that was in use before
  --help             this text

  npm run explain-hash -- devices_get u=admin user_id=10 --hash 71516eea4850f7e0300ac86adf9fb64bca845aa7

Parameters count as they were sent: write every one, u too, in the order of the request. The key is never printed.
`

const OPTIONS = {
  hash: { type: 'string' },
  key: { type: 'string' },
  'old-key': { type: 'string' },
} as const

type Options = Values<typeof OPTIONS>

async function explain({ called, sent }: SentCall, options: Options): Promise<string> {
  const { method } = await findFunctionFile(called)
  const key = await findKey(method, options.key)
  const call = { contract: method, sent, key, oldKey: options['old-key'] }
  const finding = explainHash(call)
  const { says, advice } = inWords(finding, call)
  const signed = finding.accepted ? [] : [`The string to hash: ${stringToSign(call)}`]
  return [`${called}: ${says}`, ...advice, ...signed].join('\n  ')
}

const callOf = ([called = '', ...words]: readonly string[], { hash }: Options): SentCall => ({
  called,
  sent: { ...readParameters(words), ...(hash !== undefined && { hash }) },
})

/** A line that cannot be read is told, and does not keep the next ones from being explained. */
async function explainLines(lines: readonly string[], options: Options): Promise<void> {
  for (const line of lines) {
    const explained = await readCall(line).then((call) => explain(call, options), toSentence)
    process.stdout.write(`${explained}\n`)
  }
}

function toSentence(error: unknown): string {
  if (error instanceof Failure || error instanceof ApiError) return error.message
  throw error
}

await runCommand({
  help: HELP,
  options: OPTIONS,
  words: [0, Number.POSITIVE_INFINITY],
  run: async (options, words) => {
    if (words.length === 0) return explainLines(callLines(await text(process.stdin)), options)
    process.stdout.write(`${await explain(callOf(words, options), options)}\n`)
  },
})
