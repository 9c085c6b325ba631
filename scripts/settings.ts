import { text } from 'node:stream/consumers'
import type { Command } from '@commander-js/extra-typings'
import { printFromTable, withTableOptions } from '#lib/local/commands/over-table.ts'
import {
  changeSetting,
  changeTimezone,
  getSetting,
  listSettings,
  logOfSettings,
} from '#lib/local/commands/settings-tool.ts'

export function declare(command: Command): void {
  const settings = withTableOptions(command).option(
    '--as <USERNAME>',
    'who changes it: an admin, or an account with the permission api_settings (not needed for `set` while the installation has no \
account)',
  )
  settings
    .command('list')
    .description('every setting with its value')
    .action(() => printFromTable(settings.opts(), listSettings))
  settings
    .command('get <name>')
    .description('the value of a setting')
    .action((name) => printFromTable(settings.opts(), (store) => getSetting(store, name)))
  settings
    .command('set <name> <value>')
    .description(
      "changes a setting; a value of - is read from standard input, and stays out of the shell's history",
    )
    .action((name, value) =>
      printFromTable(settings.opts(), async (store) => {
        const given = value === '-' ? (await text(process.stdin)).trim() : value
        const wanted = { name, value: given, as: settings.opts().as }
        const warning = await changeSetting(store, wanted, new Date())
        return [`${name} = ${await getSetting(store, name)}`, ...(warning ? [`warning: ${warning}`] : [])]
      }),
    )
  settings
    .command('timezone <zone>')
    .description(
      'changes Timezone after calls are stored: files and counts them again by the days of that zone. Run it again if it was \
interrupted',
    )
    .action((zone) =>
      printFromTable(settings.opts(), async (store) => {
        const moved = await changeTimezone(store, { zone, as: settings.opts().as }, new Date())
        return [`Timezone = ${zone}`, `${moved} calls are filed under another day now`]
      }),
    )
  settings
    .command('log')
    .description('who changed which setting, and when')
    .action(() => printFromTable(settings.opts(), logOfSettings))
}
