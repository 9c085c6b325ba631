import { runCommand } from '#lib/local/commands/command.ts'
import { followFile } from '#lib/local/commands/follow/follow-tool.ts'
import { ingestFiles } from '#lib/local/commands/switches/ingest-tool.ts'
import { SWITCH_OPTIONS } from '#lib/local/commands/switches/switch-wish.ts'
import { overTable, TABLE_OPTIONS } from '#lib/local/commands/table-command.ts'
import { Failure } from '#lib/local/failure.ts'
import { openMediation } from '#lib/mediation/mediation.ts'

const HELP = `Mediates CDRs as switches write them: each call is rated and stored for its customer, once.

  npm run ingest -- <format> <file ...> --source NAME [--zone ZONE] [--master SWITCHES]
                    [--columns NAMES] [--map FIELD=COLUMN ...] [--follow] [--endpoint URL] [--table NAME]

  format           freeswitch-json, freeswitch-xml, freeswitch-csv, asterisk-csv, asterisk-json, kamailio-json,
                   kamailio-csv, csv or live
  file             the CDR documents; - reads standard input
  --source NAME    the switch: part of the identity of its calls
  --zone ZONE      the zone of clock times in the CDRs (default: the installation's)
  --master A,B     asterisk-csv: the options of Master.csv that cdr.conf sets (loguniqueid, loguserfield, newcdrcolumns)
  --columns A,B    the columns of a CSV without a header
  --map F=COLUMN   csv: the column that holds a field
  --follow         one file: also mediates lines that are added later, until Ctrl-C; resumes where it stopped
  --endpoint URL   a DynamoDB that is not AWS's own (or DYNAMODB_ENDPOINT)
  --table NAME     the table (or TABLE_NAME)

docs/switches.md describes each format. A CDR that cannot be stored is suspended with its reason. The same file again
changes nothing.
Exit code: 0 mediated, 1 refused, 2 not reachable or not understood.
`

function onlyOne(paths: readonly string[]): string {
  const [path = '', ...others] = paths
  if (others.length === 0 && path !== '-') return path
  throw new Failure('--follow takes one file')
}

/** SIGINT and SIGTERM let the current part finish. */
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
        : ingestFiles(await openMediation(store, new Date()), wish, paths)
      for await (const line of lines) process.stdout.write(`${line}\n`)
      return 0
    }),
})
