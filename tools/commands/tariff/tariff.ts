import type { Command } from '@commander-js/extra-typings'
import type { Command as PlainCommand } from 'commander'
import { NO_ROWS, type RowCounts } from '#lib/base/row-refused.ts'
import { rollBackTariff } from '#lib/rates/acts/roll-back-tariff.ts'
import { changeOf, type LineGroup, mergeByKey } from '#lib/rates/lines.ts'
import { readLines } from '#lib/rates/prefix-versions.ts'
import { isBlocked } from '#lib/rates/rating.ts'
import { fromLine, keyOfLine, listTariffs, ratesOf } from '#lib/rates/tariff.ts'
import { describeRates } from '#lib/rates/tariff-change.ts'
import { listSwitches, listVersions } from '#lib/rates/version-history.ts'
import type { Store } from '#lib/table/store.ts'
import { actCommand } from '../../command-line/act-commands.ts'
import { listCommand } from '../../command-line/actions.ts'
import { type Listing, listingOf } from '../../command-line/listing.ts'
import { findTariffNamed } from '../../command-line/named.ts'
import { ACTOR, withTableOptions } from '../../command-line/over-table.ts'
import { declareVerbs } from '../../command-line/record-commands.ts'
import { CommandError } from '../../machine/terminal.ts'
import { retryAfterImport } from '../suspense/suspense.ts'

export function declare(command: Command): void {
  const tariff = withTableOptions(command)
    .description(
      'The last ten versions of a tariff are kept, and all that were active within the days of the setting Tariff_Versions_Days.',
    )
    .addOption(ACTOR)
  declareVerbs(tariff as unknown as PlainCommand, 'tariff', ['add', 'edit'])
  listCommand(tariff, 'list', 'list every tariff with its active and its previous version', listTariffRows)
  listCommand(
    tariff,
    'versions <id>',
    'list the kept versions with their number of rates and the time in which they were active',
    listTariffVersions,
  )
  listCommand(
    tariff,
    'diff <id>',
    'list the rates that the active version added, removed and changed',
    listTariffDifference,
  )
  listCommand(tariff, 'log <id>', 'list the switches to other versions', listTariffSwitches)
  actCommand(tariff, 'rollback', rollBackTariff, ['id', 'version'], { afterwards: retryRates })
}

const retryRates = (store: Store, now: Date) => retryAfterImport(store, ['rates'], now)

/** Every tariff with its active and its previous version, ascending by id. */
export const listTariffRows = async (store: Store): Promise<Listing> =>
  listingOf(store, 'tariff', await listTariffs(store), {
    id: 'number',
    name: 'text',
    purpose: 'text',
    currency: 'text',
    owner: ['number', ({ owner_id }) => owner_id],
    version: ['number', ({ active }) => active?.version],
    rates: ['number', ({ active }) => active?.rows ?? 0],
    imported: ['time', ({ active }) => active?.imported_at],
    previous_version: ['number', ({ previous }) => previous?.version],
    previous_rates: ['number', ({ previous }) => previous?.rows],
  })

/** The kept versions of a tariff, the newest first. */
export async function listTariffVersions(store: Store, word: string): Promise<Listing> {
  const { id, active } = await findTariffNamed(store, word)
  return listingOf(store, 'version', await listVersions(store, ratesOf(id)), {
    version: 'number',
    rates: ['number', ({ rows }) => rows],
    imported: ['time', ({ imported_at }) => imported_at],
    active_from: 'time',
    active_till: 'time',
    active: ['text', ({ version }) => version === active?.version],
  })
}

/** The switches of a tariff to a version, oldest first. The first one comes from no version. */
export async function listTariffSwitches(store: Store, word: string): Promise<Listing> {
  const { id } = await findTariffNamed(store, word)
  return listingOf(store, 'change', await listSwitches(store, ratesOf(id)), {
    at: 'time',
    who: 'text',
    from_version: ['number', ({ from }) => from],
    to_version: ['number', ({ to }) => to],
  })
}

/** Rates that the active version removed (`-`) and added (`+`), in order. A changed rate is both. */
export async function listTariffDifference(store: Store, word: string): Promise<Listing> {
  const tariff = await findTariffNamed(store, word)
  const { id, active, previous } = tariff
  if (!active || !previous)
    throw new CommandError(`Tariff ${id} has only one version: there is nothing to compare`)
  const stored = await readLines(store, ratesOf(id), previous)
  const lines = await readLines(store, ratesOf(id), active)
  const count = { ...NO_ROWS }
  const listing = await listingOf(store, 'rate', changedRates(mergeByKey(stored, lines, keyOfLine), count), {
    change: 'text',
    prefix: 'text',
    origin: ['text', ({ origin, adds }) => (adds ? `+ ${origin}` : origin)],
    destination: 'text',
    rate: ['number', (rate) => (isBlocked(rate) ? 'blocked' : rate.tariff_rate)],
    fee: ['number', ({ con_fee }) => con_fee],
    currency: ['text', () => tariff.currency],
    increment: 'number',
    minimum: ['number', ({ min_time }) => min_time],
    hours: ['text', ({ start_time, end_time }) => `${start_time}-${end_time}`],
    days: ['text', ({ daytype }) => daytype],
    effective_from: 'time',
    ends_at: 'time',
  })
  return { ...listing, summary: () => describeRates(count) }
}

/** Yields the rates that differ, and counts all. */
function* changedRates(groups: Iterable<LineGroup>, count: RowCounts) {
  for (const group of groups) {
    const kind = changeOf(group)
    count[kind] += 1
    if (kind === 'unchanged') continue
    for (const line of group.before) yield { change: '-', ...fromLine(line) }
    for (const line of group.after) yield { change: '+', ...fromLine(line) }
  }
}
