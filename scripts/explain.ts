import { runCommand } from '#lib/local/commands/command.ts'
import { explainPrice } from '#lib/local/commands/explain-tool.ts'
import { overTable, TABLE_OPTIONS } from '#lib/local/commands/table-command.ts'
import { Failure } from '#lib/local/failure.ts'

const HELP = `Shows what a call would cost, step by step: what is looked up in which tariff, and what everybody pays.

  npm run explain -- <username> <number> [--at TIME] [--seconds N] [--provider ID] [--endpoint URL] [--table NAME]

  username         who calls
  number           as it is dialled
  --at TIME        "2026-03-10 12:00:00" in the installation's zone; now without it
  --seconds N      how long they talk (60)
  --provider ID    who carries it: then the operator's margin is known
  --endpoint URL   a DynamoDB that is not AWS's own (or DYNAMODB_ENDPOINT)
  --table NAME     the table (or TABLE_NAME)

Exit code: 0 shown, 1 refused, 2 not reachable or not understood.
`

/** A number that an option takes. */
function numberIn(option: string, text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new Failure(`--${option} takes a whole number, not ${text}`)
}

await runCommand({
  help: HELP,
  options: {
    ...TABLE_OPTIONS,
    at: { type: 'string' },
    seconds: { type: 'string', default: '60' },
    provider: { type: 'string' },
  },
  words: [2, 2],
  run: ({ endpoint, table, at, seconds, provider }, [username = '', number = '']) =>
    overTable({ endpoint, table }, async (store) => {
      const wish = {
        username,
        number,
        at,
        seconds: numberIn('seconds', seconds),
        provider: provider === undefined ? undefined : numberIn('provider', provider),
      }
      for (const line of await explainPrice(store, wish, new Date())) process.stdout.write(`${line}\n`)
      return 0
    }),
})
