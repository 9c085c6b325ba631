import type { Command } from '@commander-js/extra-typings'
import { accounts } from '#lib/accounts/whole-account.ts'
import { hoursSince, secondsOf } from '#lib/base/calendar.ts'
import { isPositive, ZERO } from '#lib/base/money.ts'
import { countOf } from '#lib/base/text.ts'
import type { ArchiveBucket } from '#lib/calls/archive/bucket.ts'
import { archivedNotice } from '#lib/calls/retention.ts'
import { suspenseKeys } from '#lib/cdrs/suspense/suspense.ts'
import { findDevices } from '#lib/devices/device-stored.ts'
import { findHolders } from '#lib/devices/dialled.ts'
import { idWritten } from '#lib/devices/taken-name.ts'
import { readSettings, type Settings } from '#lib/settings/settings.ts'
import { findSettings, settingsOf } from '#lib/settings/stored-settings.ts'
import type { Item } from '#lib/table/items.ts'
import { accountKey, isUnder } from '#lib/table/keys.ts'
import type { Store } from '#lib/table/store.ts'
import type { TableLocation } from '#lib/table/table.ts'
import { shownFormat } from '../../command-line/listing.ts'
import { migrationNotice } from '../../command-line/migration-progress.ts'
import { itemsIn } from '../../command-line/open-table.ts'
import { overTable, withTableOptions } from '../../command-line/over-table.ts'
import { findDamage } from '../../integrity/damage.ts'
import { printLine } from '../../machine/terminal.ts'
import { knownBucket } from '../archive/archive.ts'

const isAccount = isUnder(accounts.key)

/**
 * Sentences about the usernames among these items that are also the id of another account, or the name or
 * extension of a device of another one. Such pairs are older than the rule against them, and stay.
 */
export async function sharedNamesAmong(store: Store, items: readonly Item[]): Promise<string[]> {
  const named = items.filter(isAccount).map((item) => accounts.read(item))
  const withIds = named.filter(({ id, username }) => ![undefined, id].includes(idWritten(username)))
  const [holders, others] = await Promise.all([
    findHolders(
      store,
      named.map(({ username }) => username),
    ),
    store.getMany(withIds.map(({ username }) => accountKey(Number(username)))),
  ])
  const devices = await findDevices(
    store,
    holders.flatMap((holder) => holder?.id ?? []),
  )
  const byId = new Map(devices.flatMap((device) => (device ? [[device.id, device]] : [])))
  return [
    ...withIds.flatMap(({ id, username }, index) =>
      others[index]
        ? [`"${username}" is the username of account ${id} and the id of account ${username}: ${REMEDY}`]
        : [],
    ),
    ...named.flatMap(({ id, username }, index) => {
      const device = byId.get(holders[index]?.id ?? -1)
      return device && device.user_id !== id
        ? [
            `${JSON.stringify(username)} is the username of account ${id} and names device ${device.id} of account ${device.user_id}: ${REMEDY}`,
          ]
        : []
    }),
  ]
}

const REMEDY =
  'an account code is read as the username: rename one of them, or say what the codes of a switch are (--codes)'

export const declare = (command: Command) =>
  withTableOptions(command)
    .description(
      'It prints a sentence for each problem: an item that another one needs is missing or differs, two owners have one name, or a \
counter is wrong. It changes nothing. It reads every item and the items that these refer to, about two read units for each \
4 KB. A counter may seem wrong while calls are stored: run the command again. Exit code 1: there are problems.',
    )
    .addOption(shownFormat())
    .action(({ format, ...options }) =>
      overTable(options, (store, location) => checkData(store, location, format)),
    )

const SOUND = 0
const DAMAGED = 1

/** In JSON, each problem is a line. */
async function checkData(store: Store, location: TableLocation, format: string): Promise<number> {
  const now = new Date()
  const bucket = await archiveToCheck(store, location)
  const totals: Totals = { items: 0, suspended: 0, oldest: Number.POSITIVE_INFINITY, taxed: [] }
  const print = (problem: string) => printLine(format === 'json' ? JSON.stringify({ problem }) : problem)
  let problems = 0
  const note = (shared: string) => printLine(format === 'json' ? JSON.stringify({ shared }) : shared)
  const pages = notingShared(store, counted(itemsIn(location), totals), note)
  for await (const sentence of findDamage(store, pages, now, bucket)) {
    problems += 1
    print(sentence)
  }
  const settings = await findSettings(store)
  const notices = [
    writtenBy(settings),
    migrationNotice(settings),
    creditedVat(readSettings(settings), totals),
  ]
  const notice = notices.filter(Boolean).join('\n') || undefined
  const { items, suspended } = totals
  if (format === 'json') printLine(JSON.stringify({ items, problems, suspended, notice: notice ?? null }))
  else for (const line of summaryLines(totals, { problems, notice }, now)) printLine(line)
  return problems === 0 ? SOUND : DAMAGED
}

const writtenBy = ({ table_build: build }: Item): string | undefined =>
  build === undefined ? undefined : `Last written by Tollgate ${build}`

const MOST_NAMED = 10

/** Off, what such an account pays of VAT becomes credit: it can be spent on calls. */
function creditedVat({ Payments_With_VAT, Charged_From }: Settings, { taxed }: Totals): string | undefined {
  if (Payments_With_VAT || Charged_From === '' || taxed.length === 0) return undefined
  const named = taxed.slice(0, MOST_NAMED).join(', ') + (taxed.length > MOST_NAMED ? ', ...' : '')
  return `Payments_With_VAT is off: the VAT in what ${countOf(taxed.length, 'account')} with a VAT percent pay becomes credit (${named})`
}

const summaryLines = (
  totals: Totals,
  { problems, notice }: { readonly problems: number; readonly notice: string | undefined },
  now: Date,
): string[] => [
  ...(notice === undefined ? [] : [notice]),
  ...(totals.suspended > 0 ? [describeSuspended(totals, now)] : []),
  `${countOf(totals.items, 'item')}: ${problems === 0 ? 'no problems' : countOf(problems, 'problem')}`,
]

/** The archive of the table. Says that archived days are not checked if it is unknown. */
async function archiveToCheck(store: Store, location: TableLocation): Promise<ArchiveBucket | undefined> {
  const bucket = knownBucket(location)
  const { archivedBefore } = await settingsOf(store)
  if (archivedBefore !== undefined && !bucket)
    printLine(`${archivedNotice(archivedBefore)}, and their counters are not checked: set ARCHIVE_BUCKET.`)
  return bucket
}

interface Totals {
  items: number
  suspended: number
  /** The Unix seconds when the oldest suspended CDR was first suspended. */
  oldest: number
  /** The usernames of accounts with a VAT percent. */
  readonly taxed: string[]
}

async function* counted(pages: AsyncIterable<Item[]>, totals: Totals): AsyncGenerator<Item[]> {
  for await (const page of pages) {
    totals.items += page.length
    for (const { SK, GSI1SK, username, vat_percent } of page) {
      if (SK === accountKey('').SK && isPositive(String(vat_percent ?? ZERO)))
        totals.taxed.push(String(username))
      if (SK !== suspenseKeys.item('').SK) continue
      totals.suspended += 1
      totals.oldest = Math.min(totals.oldest, suspenseKeys.moment(String(GSI1SK)))
    }
    yield page
  }
}

/** Passes the pages on, and notes the names that two accounts share: a warning, not a damage. */
async function* notingShared(
  store: Store,
  pages: AsyncIterable<Item[]>,
  note: (sentence: string) => void,
): AsyncGenerator<Item[]> {
  for await (const page of pages) {
    for (const sentence of await sharedNamesAmong(store, page)) note(sentence)
    yield page
  }
}

/** Suspended CDRs are not damage, but calls that are not billed yet. */
function describeSuspended({ suspended, oldest }: Totals, now: Date): string {
  const hours = countOf(hoursSince(oldest, secondsOf(now)), 'hour')
  return `${countOf(suspended, 'CDR')} suspended, the oldest for ${hours}: npx tollgate suspense list`
}
