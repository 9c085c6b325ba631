import { readFile } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'
import type { Command } from '@commander-js/extra-typings'
import { Refusal } from '#lib/base/refusal.ts'
import { NEXT_SHARDS, SHARD_COUNTS, SHARDS, shardsIn } from '#lib/base/shards.ts'
import { countOf } from '#lib/base/text.ts'
import { setSetting } from '#lib/calls/set-settings.ts'
import { type Brand, logoBytes, logoOf } from '#lib/invoicing/documents/brand.ts'
import { setBrand } from '#lib/invoicing/documents/set-brand.ts'
import { inAuditLog, type SettingChange } from '#lib/settings/audit-log.ts'
import { REMEMBERED_MS } from '#lib/settings/recent-items.ts'
import { asStored, findSettings, settingsKey } from '#lib/settings/stored-settings.ts'
import type { Item } from '#lib/table/items.ts'
import { is } from '#lib/table/requests/changes.ts'
import type { Store } from '#lib/table/store.ts'
import { actCommand, carryOutAs } from '../../command-line/act-commands.ts'
import { changeAction, listCommand, showAction } from '../../command-line/actions.ts'
import { pathArgument } from '../../command-line/arguments.ts'
import { shownFormat } from '../../command-line/listing.ts'
import { refuseRace, type TerminalAct, withTableOptions } from '../../command-line/over-table.ts'
import { refusedCommand } from '../../command-line/remedies.ts'
import { CommandError } from '../../machine/terminal.ts'
import { actorOf, changeTimezone, listSettings, listSettingsLogRows, showSetting } from './settings-tool.ts'

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
  settings
    .command('timezone <zone>')
    .description(
      'change Timezone after calls are stored, wait a minute for consumers that have read the former one, and move the calls to the days of that zone. Run it again if it is interrupted, or if files of records were read meanwhile',
    )
    .action(
      changeAction(async (store, { as, now }, zone) => {
        const moved = await changeTimezone(store, zone, { as, now })
        return [`Timezone = ${zone}`, `${countOf(moved, 'call')} moved to another day`]
      }),
    )
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
      changeAction(async (store, { as, now }, number) => {
        if (number !== undefined) await changeShards(store, { number, as }, now)
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
  const { answer } = await carryOutAs(store, setBrand, act, given).catch((error: unknown) => {
    throw error instanceof Refusal ? refusedCommand(error) : error
  })
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

/** The wish of an operator: the number as it was typed, and the account that makes the change. */
export interface ShardOptions {
  readonly number: string
  readonly as: string | undefined
}

/**
 * Spreads calls in progress and counters over more partitions, while they are read and written. Readers learn
 * of the new partitions first, and writers use them when no reader remembers the smaller number any more. An
 * interrupted change resumes when it is run again.
 */
export async function changeShards(
  store: Store,
  { number, as }: ShardOptions,
  now: Date,
  wait: (milliseconds: number) => Promise<unknown> = setTimeout,
): Promise<void> {
  const who = (await actorOf(store, as))?.username ?? 'installation'
  const stored = await findSettings(store)
  const { written } = shardsIn(stored)
  const next = shardsNamed(number, written)
  if (next === written) return
  await announceShards(store, stored, next).catch(refuseRace('the shards'))
  await wait(KNOWN_EVERYWHERE_MS)
  await growShards(store, stored, { next, at: now.toISOString(), who }).catch(refuseRace('the shards'))
}

/** From now on, readers also query a larger number's partitions. Throws ConditionFailed after a change. */
const announceShards = (store: Store, stored: Item, next: number): Promise<unknown> =>
  store.update(
    settingsKey,
    { set: { [NEXT_SHARDS]: next } },
    Object.fromEntries([SHARDS, NEXT_SHARDS].map((name) => [name, asStored(stored, name)])),
  )

/**
 * From now on, writers spread over the announced number. All readers must know it by then. Throws
 * ConditionFailed if another number was announced meanwhile.
 */
function growShards(
  store: Store,
  stored: Item,
  { next, at, who }: Pick<SettingChange, 'at' | 'who'> & { readonly next: number },
): Promise<void> {
  const { written, asked } = shardsIn({ ...stored, [NEXT_SHARDS]: undefined })
  return store.transact([
    {
      update: settingsKey,
      to: { set: { [SHARDS]: [...asked, next], [NEXT_SHARDS]: undefined } },
      when: { [SHARDS]: asStored(stored, SHARDS), [NEXT_SHARDS]: is(next) },
    },
    inAuditLog({ at, who, name: SHARDS, before: String(written), after: String(next) }),
  ])
}

function shardsNamed(word: string, written: number): number {
  const next = SHARD_COUNTS.find((count) => String(count) === word)
  if (next === undefined) throw new CommandError(`shards: ${word} is none of ${SHARD_COUNTS.join(', ')}`)
  if (next >= written) return next
  throw new CommandError(
    `shards: ${word} is below ${written}, and what lies in the other partitions would no longer be found: only a new table has fewer (npx tollgate export, then import into it)`,
  )
}
