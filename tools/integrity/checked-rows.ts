import { productPageColumns } from '#lib/store/billing/invoice-product.ts'
import { storedCallColumns } from '#lib/store/calls/call.ts'
import { listedCallColumns } from '#lib/store/calls/local-call.ts'
import { queueLogColumns } from '#lib/store/calls/queue-log.ts'
import { type Columns, type Row, rowReader } from '#lib/store/columns.ts'
import type { Item } from '#lib/store/items.ts'
import { unpacker } from '#lib/store/packed-row.ts'

/** Reads packed rows and checks all of their columns. Requests check the layout and the number of cells alone. */
function checked<C extends Columns>(columns: C): (item: Item) => Row<C> {
  const [read, check] = [unpacker(columns), rowReader(columns)]
  return (item) => check(read(item))
}

export const checkCall = checked(storedCallColumns)
export const checkListedCall = checked(listedCallColumns)
export const checkQueueLogEntry = checked(queueLogColumns)
export const checkProductPage = checked(productPageColumns)
