import { text } from 'node:stream/consumers'
import type { Command } from '@commander-js/extra-typings'
import { ApiError } from '#lib/api/errors.ts'
import { explainHash } from '#lib/doctor/explain-hash.ts'
import { hashExplanation, stringToSign } from '#lib/doctor/in-words.ts'
import { findKey, readParameters } from '#lib/local/commands/method-call.ts'
import { callLines, readCall, type SentCall } from '#lib/local/commands/sent-call.ts'
import { findFunctionFile } from '#lib/local/contracts/function-files.ts'
import { CommandError } from '#lib/local/terminal.ts'

const withOptions = (command: Command) =>
  command
    .argument('[method]', 'without it, curl lines or lines of an access log are read from standard input')
    .argument(
      '[name=value...]',
      'the parameters as they were sent: every one, u too, in the order of the request',
    )
    .option('--hash <HASH>', 'the hash that was sent')
    .option('--key <KEY>', 'the secret key; else TOLLGATE_KEY, else that of the local installation')
    .option('--old-key <KEY>', 'a key that was in use before')

type Options = ReturnType<ReturnType<typeof withOptions>['opts']>

const EXAMPLES = `
npm run explain-hash -- devices_get u=admin user_id=10 --hash 71516eea4850f7e0300ac86adf9fb64bca845aa7
npm run explain-hash < access.log`

export const declare = (command: Command) =>
  withOptions(command)
    .description('It also tells what to change. The key is never printed.')
    .addHelpText('after', EXAMPLES)
    .action(async (method, parameters, options) => {
      if (method === undefined) return explainLines(callLines(await text(process.stdin)), options)
      const sent = {
        ...readParameters(parameters),
        ...(options.hash !== undefined && { hash: options.hash }),
      }
      process.stdout.write(`${await explain({ called: method, sent }, options)}\n`)
    })

async function explain({ called, sent }: SentCall, options: Options): Promise<string> {
  const { method } = await findFunctionFile(called)
  const key = await findKey(method, options.key)
  const call = { contract: method, sent, key, oldKey: options.oldKey }
  const finding = explainHash(call)
  const { says, advice } = hashExplanation(finding, call)
  const signed = finding.accepted ? [] : [`The string to hash: ${stringToSign(call)}`]
  return [`${called}: ${says}`, ...advice, ...signed].join('\n  ')
}

/** A line that cannot be read is told, and does not keep the next ones from being explained. */
async function explainLines(lines: readonly string[], options: Options): Promise<void> {
  for (const line of lines) {
    const explained = await readCall(line).then((call) => explain(call, options), toSentence)
    process.stdout.write(`${explained}\n`)
  }
}

function toSentence(error: unknown): string {
  if (error instanceof CommandError || error instanceof ApiError) return error.message
  throw error
}
