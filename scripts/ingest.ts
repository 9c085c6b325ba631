import { openIntakeWorld } from '#lib/ingest/switches/intake-world.ts'
import { runCommand } from '#lib/local/commands/command.ts'
import { ingestFiles } from '#lib/local/commands/switches/ingest-tool.ts'
import { SWITCH_OPTIONS } from '#lib/local/commands/switches/switch-wish.ts'
import { overTable, TABLE_OPTIONS } from '#lib/local/commands/table-command.ts'

const HELP = `Takes in call records as switches write them: each call is rated and stored for its customer, once.

  npm run ingest -- <format> <file ...> --source NAME [--zone ZONE] [--master SWITCHES]
                    [--columns NAMES] [--map FIELD=COLUMN ...] [--endpoint URL] [--table NAME]

  format           freeswitch-json, freeswitch-xml, freeswitch-csv, asterisk-csv, asterisk-json, kamailio-json,
                   kamailio-csv, csv or live; - for a file is what comes through a pipe
  --source NAME    the switch: a part of what tells its calls from those of another one
  --zone ZONE      of clock times in the records; without it that of the installation
  --master A,B     asterisk-csv: what cdr.conf switches on for Master.csv (loguniqueid, loguserfield, newcdrcolumns)
  --columns A,B    the columns of a CSV without a header
  --map F=COLUMN   csv: the column that holds a field
  --endpoint URL   a DynamoDB that is not AWS's own (or DYNAMODB_ENDPOINT)
  --table NAME     the table (or TABLE_NAME)

docs/switches.md describes each format. What cannot be stored is kept in suspense with its reason. The same file again
changes nothing.
Exit code: 0 taken in, 2 not possible, not reachable or not understood.
`

await runCommand({
  help: HELP,
  options: {
    ...TABLE_OPTIONS,
    ...SWITCH_OPTIONS,
    source: { type: 'string' },
  },
  words: [2, Number.POSITIVE_INFINITY],
  run: ({ endpoint, table, ...wish }, [format = '', ...paths]) =>
    overTable({ endpoint, table }, async (store) => {
      const world = await openIntakeWorld(store, new Date())
      const lines = ingestFiles(world, { format, source: undefined, ...wish }, paths)
      for await (const line of lines) process.stdout.write(`${line}\n`)
      return 0
    }),
})
