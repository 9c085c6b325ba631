import { findAccounts } from '#lib/accounts/account.ts'
import { momentFormatter } from '#lib/base/calendar.ts'
import { isZero } from '#lib/base/money.ts'
import { type Device, findDevices } from '#lib/devices/device-stored.ts'
import type { Destination } from '#lib/rates/destination.ts'
import { listProviders } from '#lib/rates/provider.ts'
import { FREE_REASONS } from '#lib/rates/rating.ts'
import type { Settings } from '#lib/settings/settings.ts'
import { batchedLookup } from '#lib/table/entity.ts'
import type { Store } from '#lib/table/store.ts'
import type { Call } from '../call.ts'
import { type LocateCalls, openDirectory } from './directory.ts'

/** The properties of calls by which a report groups and selects them. */
export const DIMENSIONS = [
  'day',
  'hour',
  'customer',
  'country',
  'destination',
  'prefix',
  'line',
  'provider',
  'device',
  'devicegroup',
  'direction',
  'disposition',
  'hangupcause',
  'free_reason',
  'origin',
] as const

export type Dimension = (typeof DIMENSIONS)[number]

/** The definitions of the dimensions that an operator may choose. */
export interface DimensionOptions {
  /** Names of mobile destinations, by default with that word. Other known destinations are fixed lines. */
  readonly mobile?: RegExp
  /** The group of each device, by the device's id. Without it, a device has its own devicegroup_id. */
  readonly groups: ReadonlyMap<number, string> | undefined
}

/** Names of mobile destinations. */
export const MOBILE = /\bmobile\b/i

/** The label of a call in one dimension; blank if it has none. */
export type Label = (call: Call) => string

/** Returns the labels of a batch of calls. It reads what the batch refers to, each row once. */
export type Labeller = (calls: readonly Call[]) => Promise<Label>

interface LabelContext extends DimensionOptions {
  readonly store: Store
  readonly settings: Settings
  readonly directory: () => Promise<LocateCalls>
}

/** Opens several dimensions on one table. They share the directory of destinations. */
export async function openDimensions(
  store: Store,
  settings: Settings,
  options: DimensionOptions,
  dimensions: Iterable<Dimension>,
): Promise<ReadonlyMap<Dimension, Labeller>> {
  let opened: Promise<LocateCalls> | undefined
  const directory = () => {
    opened ??= openDirectory(store, settings)
    return opened
  }
  const labellers = new Map<Dimension, Labeller>()
  for (const dimension of dimensions)
    labellers.set(dimension, await OPENERS[dimension]({ store, settings, directory, ...options }))
  return labellers
}

type OpenDimension = (context: LabelContext) => Labeller | Promise<Labeller>

const OPENERS: Readonly<Record<Dimension, OpenDimension>> = {
  day: () => constant(({ day }) => day),
  hour: ({ settings }) => constant(hourIn(settings.Timezone)),
  customer: openCustomers,
  country: byDestination(({ direction }) => direction),
  destination: byDestination(({ destination }) => destination),
  prefix: byDestination(({ prefix }) => prefix),
  line: byDestination(({ destination }, { mobile = MOBILE }) =>
    mobile.test(destination) ? 'mobile' : 'fixed',
  ),
  provider: openProviders,
  device: ({ store }) => ofDevice(store, (device, id) => device?.name ?? `device ${id}`),
  devicegroup: ({ store, groups }) =>
    groups
      ? constant(({ device_id = -1 }) => groups.get(device_id) ?? '')
      : ofDevice(store, (device) => String(device?.devicegroup_id ?? '')),
  direction: () => constant(directionOf),
  disposition: () => constant(({ disposition }) => disposition),
  hangupcause: () => constant(({ hangupcause }) => String(hangupcause)),
  free_reason: () => constant(freeReasonOf),
  origin: () => constant(({ origin = '' }) => origin),
}

const constant =
  (label: Label): Labeller =>
  async () =>
    label

function hourIn(zone: string): Label {
  const format = momentFormatter(zone)
  return ({ calldate }) => format(calldate).dateTime.slice(11, 13)
}

/** The reasons why calls with billed seconds cost their customer nothing. */
export const FREE_CALL_REASONS = [...FREE_REASONS, 'free_rate', 'came_free', 'no_price'] as const

/** `free_rate`: rated at 0. `came_free`: it came with the price 0. Blank with a price or without seconds. */
function freeReasonOf({ billsec, rated, user_price }: Call): string {
  if (billsec === 0) return ''
  if (user_price === undefined) return 'no_price'
  if (!isZero(user_price)) return ''
  if (FREE_REASONS.some((reason) => reason === rated)) return rated
  return rated.split(' ').includes('user') ? 'free_rate' : 'came_free'
}

const INTERNAL_REASONS = new Set(['internal', 'feature_code', 'short_number'])

/** A call between devices of this installation, or to a code or a service of the switch, is internal. */
function directionOf({ incoming, rated, dst_device_id }: Call): string {
  if (incoming) return 'incoming'
  return INTERNAL_REASONS.has(rated) || dst_device_id !== undefined ? 'internal' : 'outgoing'
}

function byDestination(read: (found: Destination, options: DimensionOptions) => string): OpenDimension {
  return async (context) => {
    const locate = await context.directory()
    return async (calls) => {
      const destinationOf = await locate(calls)
      return (call) => {
        const found = destinationOf(call)
        return found ? read(found, context) : ''
      }
    }
  }
}

function openCustomers({ store }: LabelContext): Labeller {
  const accounts = batchedLookup((ids) => findAccounts(store, ids))
  return async (calls) => {
    const known = await accounts(calls.map(({ user_id }) => user_id))
    return ({ user_id }) => known.get(user_id)?.username ?? `account ${user_id}`
  }
}

async function openProviders({ store }: LabelContext): Promise<Labeller> {
  const names = new Map((await listProviders(store)).map(({ id, name }) => [id, name]))
  return constant(({ provider_id }) =>
    provider_id === undefined ? '' : (names.get(provider_id) ?? `provider ${provider_id}`),
  )
}

function ofDevice(store: Store, label: (device: Device | undefined, id: number) => string): Labeller {
  const devices = batchedLookup((ids) => findDevices(store, ids))
  return async (calls) => {
    const known = await devices(calls.map(({ device_id }) => device_id))
    return ({ device_id }) => (device_id === undefined ? '' : label(known.get(device_id), device_id))
  }
}
