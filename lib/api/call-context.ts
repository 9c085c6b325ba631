import type { Context } from 'aws-lambda'
import type { Settings } from '#lib/domain/settings.ts'
import type { Caller } from '#lib/store/accounts/account.ts'
import type { Item } from '#lib/store/items.ts'
import type { Meter } from '#lib/store/meter.ts'
import type { Store } from '#lib/store/store.ts'
import type { RawParameters } from './raw-parameters.ts'

/** What the middlewares find out about a call, each its part, in the order of the stack. */
export interface CallFindings {
  startedAt: Date
  meter: Meter
  store: Store
  address: string
  raw: RawParameters
  settings: Settings
  alongside: readonly (Item | undefined)[]
  claimant: Caller | undefined
  caller: Caller
  params: Readonly<Record<string, unknown>>
}

export interface CallContext extends Context {
  call: CallFindings
}
