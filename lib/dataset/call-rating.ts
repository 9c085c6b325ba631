import type { Settings } from '#lib/domain/settings.ts'
import type { CallRow } from '#lib/store/entities/call.ts'
import type { Store } from '#lib/store/store.ts'
import type { Customer } from './call-parties.ts'
import { RowRefused } from './refusals.ts'

/** Fills in the prices that a record arrives without. Throws RowRefused with the reason when it cannot be rated. */
export type RateCall = (row: CallRow, customer: Customer) => Promise<CallRow>

export const createCallRating =
  (_store: Store, _settings: Settings): RateCall =>
  async (row) => {
    if (row.user_price === undefined) throw new RowRefused('user_price must not be blank')
    return row
  }
