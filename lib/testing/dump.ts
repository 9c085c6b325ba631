import type { Client } from '#lib/store/client.ts'
import { fromAttributes } from '#lib/store/items.ts'
import type { Key } from '#lib/store/keys.ts'

/** An item as a test looks at it. */
export type DumpedItem = Key & Readonly<Record<string, unknown>>

/** Every item of a table, in key order. */
export async function dumpTable({ send }: Client, tableName: string): Promise<DumpedItem[]> {
  const { Items = [], LastEvaluatedKey } = await send('Scan', { TableName: tableName })
  if (LastEvaluatedKey) throw new Error('The table is too large to dump')
  return Items.map((item) => fromAttributes(item) as DumpedItem).sort((one, other) =>
    nameOf(one).localeCompare(nameOf(other)),
  )
}

const nameOf = ({ PK, SK }: Key): string => `${PK} ${SK}`
