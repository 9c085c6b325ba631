import { productPageColumns } from '#lib/billing/invoice-product.ts'
import { storedCallColumns } from '#lib/calls/call.ts'
import { listedCallColumns } from '#lib/calls/local-call.ts'
import { queueLogColumns } from '#lib/calls/queue-log.ts'
import { type Columns, type Row, rowReader } from '#lib/table/columns.ts'
import type { Item } from '#lib/table/items.ts'
import { unpacker } from '#lib/table/packed-row.ts'

/** Reads packed rows and checks all columns. Requests only check layout and number of cells. */
function checked<C extends Columns>(columns: C): (item: Item) => Row<C> {
  const [read, check] = [unpacker(columns), rowReader(columns)]
  return (item) => check(read(item))
}

export const checkCall = checked(storedCallColumns)
export const checkListedCall = checked(listedCallColumns)
export const checkQueueLogEntry = checked(queueLogColumns)
export const checkProductPage = checked(productPageColumns)
