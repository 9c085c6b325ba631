import type { Command } from '@commander-js/extra-typings'
import type { Store } from '#lib/table/store.ts'
import { pathArgument } from '../../command-line/arguments.ts'
import { listFormat, printListing, printShown, shownFormat } from '../../command-line/listing.ts'
import { printChange, withTableOptions } from '../../command-line/over-table.ts'
import { askSecret, countOf, secretFromInput } from '../../machine/terminal.ts'
import { changeBrand } from './brand-tool.ts'
import {
  changeSettingAs,
  changeTimezone,
  listSettings,
  listSettingsLogRows,
  type SettingOptions,
  showSetting,
} from './settings-tool.ts'
import { changeShards, showShards } from './shards-tool.ts'

const withAs = (command: Command) =>
  withTableOptions(command).option(
    '--as <USERNAME>',
    'the account that makes the change: an admin, or one with the permission api_settings (optional while the installation has no \
account)',
  )

export function declare(command: Command): void {
  const settings = withAs(command)
  settings
    .command('list')
    .description('list every setting with its value, its default and what it does')
    .addOption(listFormat())
    .action(({ format }) => printListing(settings.opts(), format, listSettings))
  settings
    .command('get <name>')
    .description('show the value of a setting')
    .addOption(shownFormat())
    .action((name, { format }) =>
      printShown(settings.opts(), format, async (store) => {
        const value = await showSetting(store, name)
        return { lines: [value], json: { name, value } }
      }),
    )
  settings
    .command('set <name> <value>')
    .description(
      "change a setting; - reads the value from standard input, so that it stays out of the shell's history",
    )
    .action((name, value) =>
      printChange(settings.opts(), (store) => setSetting(store, { name, value, as: settings.opts().as })),
    )
  settings
    .command('timezone <zone>')
    .description(
      'change Timezone after calls are stored, and move the calls to the days of that zone. Run it again if it is interrupted',
    )
    .action((zone) =>
      printChange(settings.opts(), async (store) => {
        const moved = await changeTimezone(store, zone, settings.opts().as, new Date())
        return [`Timezone = ${zone}`, `${countOf(moved, 'call')} moved to another day`]
      }),
    )
  declareBrand(settings)
  declareShards(settings)
  settings
    .command('log')
    .description('list the changes of settings and accounts')
    .addOption(listFormat())
    .action(({ format }) => printListing(settings.opts(), format, listSettingsLogRows))
}

async function setSetting(store: Store, { value, ...wanted }: SettingOptions): Promise<string[]> {
  const given = value === '-' ? (await typedValue(`${wanted.name}: `)).trim() : value
  const warning = await changeSettingAs(store, { ...wanted, value: given }, new Date())
  return [
    `${wanted.name} = ${await showSetting(store, wanted.name)}`,
    ...(warning ? [`warning: ${warning}`] : []),
  ]
}

/** At a terminal the value is not shown: it may be the key. */
const typedValue = (question: string): Promise<string> =>
  process.stdin.isTTY ? askSecret(question) : secretFromInput()

type SettingsCommand = ReturnType<typeof withAs>

function declareShards(settings: SettingsCommand): void {
  settings
    .command('shards [number]')
    .description(
      'show over how many partitions calls in progress and counters are spread, or change it to a larger number. Run it again if it is interrupted',
    )
    .action((number) =>
      printChange(settings.opts(), async (store) => {
        if (number !== undefined) await changeShards(store, { number, as: settings.opts().as }, new Date())
        return [`shards = ${await showShards(store)}`]
      }),
    )
}

function declareBrand(settings: SettingsCommand): void {
  settings
    .command('brand')
    .description('show or change the logo, the colour and the footer of documents. A reseller has its own')
    .option('--seller <ACCOUNT>', 'the reseller or partner (default: admin)')
    .option('--logo <FILE>', 'a PNG or JPEG of at most 100 KB', pathArgument)
    .option('--no-logo', 'remove the logo')
    .option('--colour <COLOUR>', 'a colour such as #0a7d5a; blank is that of the console')
    .option(
      '--footer <TEXT>',
      'what the law wants of the seller: register, directors, interest on late payments; \\\\n begins a line, blank removes it',
    )
    .action(({ logo, ...options }) => {
      const { as } = settings.opts()
      return printChange(settings.opts(), (store) =>
        changeBrand(store, { ...options, logo }, { as, now: new Date() }),
      )
    })
}
