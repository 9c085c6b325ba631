import { runCommand } from '#lib/local/commands/command.ts'
import { checkData } from '#lib/local/commands/data-check.ts'
import { overTable, TABLE_OPTIONS } from '#lib/local/commands/table-command.ts'

const HELP = `Reads the whole table and says what is wrong with the data, a sentence each.

  npm run check-data -- [--endpoint URL] [--table NAME]

  --endpoint URL   a DynamoDB that is not AWS's own (or DYNAMODB_ENDPOINT)
  --table NAME     the table (or TABLE_NAME)

Every item that another one needs is there and agrees with it, every name has one owner, every counter equals what it
counts. Nothing is changed. It reads every item, and what the items point at: about two read units for each 4 KB. Counters
may seem wrong while they are written to: what is said twice is so.
Exit code: 0 all is well, 1 something is wrong, 2 not reachable or not understood.
`

await runCommand({ help: HELP, options: TABLE_OPTIONS, run: (values) => overTable(values, checkData) })
