import type { Context } from 'aws-lambda'
import type { Settings } from '#lib/domain/settings.ts'
import type { Caller } from '#lib/store/accounts/account.ts'
import type { Item } from '#lib/store/items.ts'
import type { Meter } from '#lib/store/requests/meter.ts'
import type { Store } from '#lib/store/store.ts'
import type { RawParameters } from './raw-parameters.ts'

/** The facts about a request that the steps of the stack add, in the order of the stack. */
export interface Findings {
  startedAt: Date
  meter: Meter
  store: Store
  address: string
  raw: RawParameters
  settings: Settings
  /** The items that the contract loads, by the names that it gives them; not checked before the caller is admitted. */
  loaded: Readonly<Record<string, Item | undefined>>
  /** The account named by `u`, whether or not it may call. */
  claimant: Caller | undefined
  caller: Caller
  params: Readonly<Record<string, unknown>>
}

export interface RequestContext extends Context {
  findings: Findings
}
