import { readFile } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'
import type { Command } from '@commander-js/extra-typings'
import { type Done, defineAct } from '#lib/acts/act.ts'
import { textInput } from '#lib/acts/inputs.ts'
import { Refusal } from '#lib/base/refusal.ts'
import { NEXT_SHARDS, SHARD_COUNTS, SHARDS, shardsIn } from '#lib/base/shards.ts'
import { countOf } from '#lib/base/text.ts'
import { setSetting } from '#lib/calls/set-settings.ts'
import { type Brand, logoBytes, logoOf } from '#lib/invoicing/documents/brand.ts'
import { setBrand } from '#lib/invoicing/documents/set-brand.ts'
import { REMEMBERED_MS } from '#lib/settings/recent-items.ts'
import { asStored, findSettings, settingsKey } from '#lib/settings/stored-settings.ts'
import type { Item } from '#lib/table/items.ts'
import { type Change, is } from '#lib/table/requests/changes.ts'
import { hasWritten, objectChanged } from '#lib/table/requests/retries.ts'
import type { Store } from '#lib/table/store.ts'
import { actCommand, carryOutAs } from '../../command-line/act-commands.ts'
import { changeAction, listCommand, showAction } from '../../command-line/actions.ts'
import { pathArgument } from '../../command-line/arguments.ts'
import { shownFormat } from '../../command-line/listing.ts'
import { type TerminalAct, withTableOptions } from '../../command-line/over-table.ts'
import { CommandError } from '../../machine/terminal.ts'
import { changeTimezone, listSettings, listSettingsLogRows, showSetting, type Wait } from './settings-tool.ts'

const withAs = (command: Command) =>
  withTableOptions(command).option(
    '--as <USERNAME>',
    'the account that makes the change: an admin, or one with the permission api_settings (optional while the installation has no \
account)',
  )

export function declare(command: Command): void {
  const settings = withAs(command)
  listCommand(
    settings,
    'list',
    'list every setting with its value, its default and what it does',
    listSettings,
  )
  settings
    .command('get <name>')
    .description('show the value of a setting')
    .addOption(shownFormat())
    .action(
      showAction(async (store, name) => {
        const value = await showSetting(store, name)
        return { lines: [value], json: { name, value } }
      }),
    )
  actCommand(settings, 'set', setSetting, ['name', 'value'])
  actCommand(settings, 'timezone', changeTimezone(setTimeout), ['zone'], {
    shown: (json) => ({ json, lines: [`${countOf(json.moved, 'call')} moved to another day`] }),
  })
  declareBrand(settings)
  declareShards(settings)
  listCommand(settings, 'log', 'list the changes of settings and accounts', listSettingsLogRows)
}

type SettingsCommand = ReturnType<typeof withAs>

function declareShards(settings: SettingsCommand): void {
  settings
    .command('shards [number]')
    .description(
      'show over how many partitions calls in progress and counters are spread, or change it to a larger number. Run it again if it is interrupted',
    )
    .action(
      changeAction(async (store, act, number) => {
        if (number !== undefined) await carryOutAs(store, changeShards(setTimeout), act, { number })
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
    .action(changeAction((store, act, options) => changeBrand(store, options, act)))
}

/** The look of a seller's documents, as an operator changes it. Omitted values stay. */
export interface BrandOptions {
  /** The reseller or partner; without it, admin. */
  readonly seller?: string | undefined
  /** The path of a file, or false for no logo. */
  readonly logo?: string | false | undefined
  readonly colour?: string | undefined
  /** `\\n` begins a line. */
  readonly footer?: string | undefined
}

/** Changes logo, colour and footer of documents and the customers' page. Returns the present ones. */
export async function changeBrand(store: Store, options: BrandOptions, act: TerminalAct): Promise<string[]> {
  const { seller, logo, colour, footer } = options
  const given = {
    seller,
    ...(logo !== undefined && { logo: logo === false ? '' : await logoIn(logo) }),
    colour,
    footer: footer?.replaceAll('\\n', '\n').trim(),
  }
  const { answer } = await carryOutAs(store, setBrand, act, given)
  return brandLines(answer)
}

const brandLines = ({ logo, colour, footer }: Brand): string[] => [
  `logo: ${logo === '' ? 'none' : countOf(logoBytes(logo).length, 'byte')}`,
  `colour: ${colour || 'that of the console'}`,
  `footer: ${footer === '' ? 'none' : footer.replaceAll('\n', ' / ')}`,
]

const logoIn = (path: string): Promise<string> =>
  readFile(path)
    .then(logoOf)
    .catch((error: unknown) => {
      throw new CommandError(`${path}: ${error instanceof Error ? error.message : error}`)
    })

export const showShards = async (store: Store): Promise<number> => shardsIn(await findSettings(store)).written

/** Functions remember settings for a second, and clocks differ a little. */
const KNOWN_EVERYWHERE_MS = 2 * REMEMBERED_MS

/**
 * Spreads calls in progress and counters over more partitions, while they are read and written. Readers learn
 * of the new partitions first, and writers use them when no reader remembers the smaller number any more. An
 * interrupted change resumes when it is run again.
 */
export const changeShards = (wait: Wait) =>
  defineAct({
    summary: 'Spread calls in progress and counters over more partitions',
    permission: 'settings',
    isNamed: true,
    input: { number: textInput('the number of partitions') },
    run: async ({ store }, { number }): Promise<Done<number>> => {
      const stored = await findSettings(store)
      const { written } = shardsIn(stored)
      const next = shardsNamed(number, written)
      if (next === written) return { answer: next }
      const begins = { name: SHARDS, before: String(written), after: String(next) }
      return {
        begins,
        changes: [shardsAnnounced(stored, next)],
        async *steps() {
          yield 'readers know of the partitions'
          await wait(KNOWN_EVERYWHERE_MS)
          await growShards(store, stored, next)
          return { answer: next, did: begins }
        },
      }
    },
  })

/** From now on, readers also query a larger number's partitions. */
const shardsAnnounced = (stored: Item, next: number): Change => ({
  update: settingsKey,
  to: { set: { [NEXT_SHARDS]: next } },
  when: Object.fromEntries([SHARDS, NEXT_SHARDS].map((name) => [name, asStored(stored, name)])),
})

/**
 * From now on, writers spread over the announced number. All readers must know it by then. Throws Refusal if
 * another number was announced meanwhile.
 */
async function growShards(store: Store, stored: Item, next: number): Promise<void> {
  const { asked } = shardsIn({ ...stored, [NEXT_SHARDS]: undefined })
  const set = { [SHARDS]: [...asked, next], [NEXT_SHARDS]: undefined }
  const when = { [SHARDS]: asStored(stored, SHARDS), [NEXT_SHARDS]: is(next) }
  if (!(await hasWritten(store.update(settingsKey, { set }, when))))
    throw objectChanged('The number of shards')
}

function shardsNamed(word: string, written: number): number {
  const next = SHARD_COUNTS.find((count) => String(count) === word)
  if (next === undefined) throw unfit(`shards: ${word} is none of ${SHARD_COUNTS.join(', ')}`)
  if (next >= written) return next
  throw unfit(
    `shards: ${word} is below ${written}, and what lies in the other partitions would no longer be found: only a new table has fewer (npx tollgate export, then import into it)`,
  )
}

const unfit = (says: string) => new Refusal('unfit_setting', { says }, 'number')
