import { findAccounts } from '#lib/accounts/account.ts'
import { ALL_TIME, type Days, formatDateTime, type Seconds } from '#lib/base/calendar.ts'
import { ascending } from '#lib/base/collections.ts'
import type { Call } from '#lib/calls/call.ts'
import { listCallDays, listCalls } from '#lib/calls/call-search.ts'
import type { Report } from '#lib/calls/report/report.ts'
import { refuseArchivedDays } from '#lib/calls/retention.ts'
import { findDevices } from '#lib/devices/device-stored.ts'
import { listDids } from '#lib/devices/did.ts'
import { findProviders } from '#lib/rates/provider.ts'
import { digitsOf, ratedDigits } from '#lib/rates/rating.ts'
import type { Settings } from '#lib/settings/settings.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import { batchedLookup } from '#lib/table/entity.ts'
import type { Store } from '#lib/table/store.ts'
import { rowsOfThings } from '../../command-line/listing.ts'

/** The columns that a report of DIDs can select by. */
export const DID_FILTERS = ['provider', 'status', 'customer', 'device'] as const

export interface DidsOptions {
  readonly days: Days
  /** The values that a DID may have, in lower case, by column. */
  readonly filters: ReadonlyMap<(typeof DID_FILTERS)[number], ReadonlySet<string>>
  /** The dispositions of the calls that count, in lower case; `undefined` for all. */
  readonly dispositions: ReadonlySet<string> | undefined
}

/** Lists DIDs with the calls to them and from them. Memory holds the DIDs and their sums. */
export async function didsReport(store: Store, options: DidsOptions): Promise<Report> {
  const settings = await settingsOf(store)
  const { from, till } = options.days
  const moment = (at: Seconds | undefined) =>
    at === undefined ? undefined : formatDateTime(at, settings.Timezone)
  return {
    title: `DIDs, and their calls from ${from} to ${till} (${settings.Timezone})`,
    ...rowsOfThings(didsWithCalls(store, settings, options), {
      did: 'text',
      status: 'text',
      provider: 'text',
      customer: 'text',
      device: 'text',
      extension: 'text',
      description: 'text',
      incoming_calls: ['number', ({ to }) => to.calls],
      incoming_duration: ['number', ({ to }) => to.duration],
      incoming_billsec: ['number', ({ to }) => to.billsec],
      last_incoming: ['text', ({ to }) => moment(to.last)],
      outgoing_calls: ['number', ({ from }) => from.calls],
      outgoing_billsec: ['number', ({ from }) => from.billsec],
      last_outgoing: ['text', ({ from }) => moment(from.last)],
    }),
  }
}

async function* didsWithCalls(store: Store, settings: Settings, options: DidsOptions) {
  refuseArchivedDays(options.days, settings)
  const lines = await selectedDids(store, options)
  const lineOf = numberFinder(lines, settings)
  const found = lines.length > 0 ? await listCallDays(store, ['everyone'], options.days, settings) : []
  for await (const calls of listCalls(store, found, ALL_TIME)) {
    for (const call of calls) {
      if (options.dispositions && !options.dispositions.has(call.disposition.toLowerCase())) continue
      lineOf(call.dst)?.incoming.add(call)
      lineOf(call.src)?.outgoing.add(call)
    }
  }
  yield* lines
    .sort(({ cells: { did: one } }, { cells: { did: other } }) => ascending(one, other))
    .map(({ cells, incoming, outgoing }) => ({ ...cells, to: incoming.sums, from: outgoing.sums }))
}

type DidCell = (typeof DID_FILTERS)[number] | 'extension' | 'description'

/** A DID with what its row says about it, and its calls. */
interface DidLine {
  readonly cells: Readonly<{ did: string } & Record<DidCell, string | undefined>>
  readonly incoming: ReturnType<typeof createDirection>
  readonly outgoing: ReturnType<typeof createDirection>
}

function createDirection() {
  const sums = { calls: 0, duration: 0, billsec: 0, last: undefined as Seconds | undefined }
  return {
    sums,
    /** Calls come in the order of time. */
    add: ({ duration, billsec, calldate }: Call): void => {
      sums.calls += 1
      sums.duration += duration
      sums.billsec += billsec
      sums.last = calldate
    },
  }
}

async function selectedDids(store: Store, { filters }: DidsOptions): Promise<DidLine[]> {
  const accountsOf = batchedLookup((ids) => findAccounts(store, ids))
  const devicesOf = batchedLookup((ids) => findDevices(store, ids))
  const providersOf = batchedLookup((ids) => findProviders(store, ids))
  const lines: DidLine[] = []
  for await (const page of listDids(store)) {
    const accounts = await accountsOf(page.map(({ user_id }) => user_id))
    const devices = await devicesOf(page.map(({ device_id }) => device_id))
    const providers = await providersOf(page.map(({ provider_id }) => provider_id))
    for (const { did, status, user_id = -1, device_id = -1, provider_id = -1 } of page) {
      const device = devices.get(device_id)
      const cells = {
        did,
        status,
        provider: providers.get(provider_id)?.name,
        customer: accounts.get(user_id)?.username,
        device: device?.name,
        extension: device?.extension,
        description: device?.description,
      }
      const isSelected = [...filters].every(([column, allowed]) =>
        allowed.has(cells[column]?.toLowerCase() ?? ''),
      )
      if (isSelected) lines.push({ cells, incoming: createDirection(), outgoing: createDirection() })
    }
  }
  return lines
}

/** Finds the DID of a dialled or shown number: by its digits, also with the country code. */
function numberFinder(lines: readonly DidLine[], settings: Settings) {
  const byDigits = new Map(lines.map((line) => [digitsOf(line.cells.did), line]))
  byDigits.delete('')
  return (number: string): DidLine | undefined =>
    byDigits.get(digitsOf(number)) ?? byDigits.get(ratedDigits(number, settings))
}
