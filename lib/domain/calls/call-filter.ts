/** Which calls of a period are wanted; a field that is not given does not matter. */
export interface CallFilter {
  readonly disposition?: string | undefined
  readonly device_id?: number | undefined
  readonly provider_id?: number | undefined
  readonly owner_id?: number | undefined
}

type Filtered = { readonly disposition: string } & {
  readonly [K in 'device_id' | 'provider_id' | 'owner_id']: number | undefined
}

export const isFiltering = (filter: CallFilter): boolean =>
  Object.values(filter).some((wanted) => wanted !== undefined)

export const passes = (
  { disposition, device_id, provider_id, owner_id }: CallFilter,
  call: Filtered,
): boolean =>
  (disposition === undefined || wordOf(call.disposition) === disposition) &&
  (device_id === undefined || call.device_id === device_id) &&
  (provider_id === undefined || call.provider_id === provider_id) &&
  (owner_id === undefined || call.owner_id === owner_id)

/** `NO ANSWER`, as switches write it, and `no_answer`, as the API does, are one word (wire.md user_calls_get). */
export const wordOf = (disposition: string): string => disposition.toLowerCase().replaceAll(' ', '_')
