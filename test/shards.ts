import { type CallLists, SHARDS, SHARDS_OF_NEW_TABLE, shardsIn } from '#lib/base/shards.ts'

/** Those of a table that no operator has grown. */
export const newShards = shardsIn({ [SHARDS]: SHARDS_OF_NEW_TABLE })

/** Where the calls of a new table are listed. */
export const newPlaces: CallLists = { Wholesale_Customers: '', byMonthFrom: '' }
