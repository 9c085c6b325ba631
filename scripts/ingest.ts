import { openIntakeWorld } from '#lib/ingest/switches/intake-world.ts'
import { runCommand } from '#lib/local/commands/command.ts'
import { followFile } from '#lib/local/commands/follow/follow-tool.ts'
import { ingestFiles } from '#lib/local/commands/switches/ingest-tool.ts'
import { SWITCH_OPTIONS } from '#lib/local/commands/switches/switch-wish.ts'
import { overTable, TABLE_OPTIONS } from '#lib/local/commands/table-command.ts'
import { Failure } from '#lib/local/failure.ts'

const HELP = `Takes in call records as switches write them: each call is rated and stored for its customer, once.

  npm run ingest -- <format> <file ...> --source NAME [--zone ZONE] [--master SWITCHES]
                    [--columns NAMES] [--map FIELD=COLUMN ...] [--follow] [--endpoint URL] [--table NAME]

  format           freeswitch-json, freeswitch-xml, freeswitch-csv, asterisk-csv, asterisk-json, kamailio-json,
                   kamailio-csv, csv or live; - for a file is what comes through a pipe
  --source NAME    the switch: a part of what tells its calls from those of another one
  --zone ZONE      of clock times in the records; without it that of the installation
  --master A,B     asterisk-csv: what cdr.conf switches on for Master.csv (loguniqueid, loguserfield, newcdrcolumns)
  --columns A,B    the columns of a CSV without a header
  --map F=COLUMN   csv: the column that holds a field
  --follow         one file: takes in what is added to it as well, until Ctrl-C; goes on where it was
  --endpoint URL   a DynamoDB that is not AWS's own (or DYNAMODB_ENDPOINT)
  --table NAME     the table (or TABLE_NAME)

docs/switches.md describes each format. What cannot be stored is kept in suspense with its reason. The same file again
changes nothing.
Exit code: 0 taken in, 1 refused, 2 not reachable or not understood.
`

function onlyOne(paths: readonly string[]): string {
  const [path = '', ...others] = paths
  if (others.length === 0 && path !== '-') return path
  throw new Failure('--follow takes one file')
}

/** Ctrl-C and a polite end let it finish what it has begun. */
function untilStopped(): AbortSignal {
  const controller = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => controller.abort())
  return controller.signal
}

await runCommand({
  help: HELP,
  options: {
    ...TABLE_OPTIONS,
    ...SWITCH_OPTIONS,
    source: { type: 'string' },
    follow: { type: 'boolean', default: false },
  },
  words: [2, Number.POSITIVE_INFINITY],
  run: ({ endpoint, table, follow, ...options }, [format = '', ...paths]) =>
    overTable({ endpoint, table }, async (store) => {
      const wish = { format, source: undefined, ...options }
      const lines = follow
        ? followFile(store, { wish, path: onlyOne(paths), signal: untilStopped() })
        : ingestFiles(await openIntakeWorld(store, new Date()), wish, paths)
      for await (const line of lines) process.stdout.write(`${line}\n`)
      return 0
    }),
})
