import { digitsOf } from '#lib/domain/rates/rating.ts'

/** Which calls of a period are wanted; a field that is not given does not matter. */
export interface CallFilter {
  readonly disposition?: string | undefined
  readonly device_id?: number | undefined
  readonly provider_id?: number | undefined
  readonly owner_id?: number | undefined
  readonly hangupcause?: number | undefined
  /** The digits with which the dialled number begins. */
  readonly destination?: string | undefined
}

type Filtered = { readonly disposition: string; readonly dst: string } & {
  readonly [K in (typeof EXACT)[number]]: number | undefined
}

const EXACT = ['device_id', 'provider_id', 'owner_id', 'hangupcause'] as const

export const isFiltering = (filter: CallFilter): boolean =>
  Object.values(filter).some((wanted) => wanted !== undefined)

export const passes = (filter: CallFilter, call: Filtered): boolean =>
  (filter.disposition === undefined || wordOf(call.disposition) === filter.disposition) &&
  (filter.destination === undefined || digitsOf(call.dst).startsWith(filter.destination)) &&
  EXACT.every((name) => filter[name] === undefined || filter[name] === call[name])

/** `NO ANSWER`, as switches write it, and `no_answer`, as the API does, are one word (wire.md user_calls_get). */
export const wordOf = (disposition: string): string => disposition.toLowerCase().replaceAll(' ', '_')
