import { runCommand } from '#lib/local/commands/command.ts'
import { overTable, TABLE_OPTIONS } from '#lib/local/commands/table-command.ts'
import { runExport } from '#lib/local/datasets/export-tool.ts'

const HELP = `Writes a table into a folder, in the format that an import takes.

  npm run export -- <folder> [files...] [--with-secrets] [--endpoint URL] [--table NAME]

  files...         only these, such as users devices
  --with-secrets   passwords, uniquehashes, secrets and PINs of devices, and the key, too
  --endpoint URL   a DynamoDB that is not AWS's own (or DYNAMODB_ENDPOINT)
  --table NAME     the table (or TABLE_NAME)

It reads the whole table once, whatever the files: about one read unit for each 4 KB, and says how many it were. Of a tariff it
takes the version in force. Nothing is written over, and only you can read the files. While rows are written, the files
may hold some from before and some from after.
Exit code: 0 all is written, 1 something could not be written as it is, 2 not reachable or not understood.
`

await runCommand({
  help: HELP,
  options: { ...TABLE_OPTIONS, 'with-secrets': { type: 'boolean', default: false } },
  words: [1, Number.POSITIVE_INFINITY],
  run: (values, [folder = '', ...files]) =>
    overTable(values, (store, location) =>
      runExport(store, location, {
        folder,
        files,
        withSecrets: values['with-secrets'],
        say: (line) => process.stdout.write(`${line}\n`),
      }),
    ),
})
