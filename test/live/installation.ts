import { slices } from '#lib/domain/collections.ts'
import type { Key } from '#lib/store/keys.ts'
import { ITEMS_IN_ONE_WRITE } from '#lib/store/requests/batches.ts'
import { createClient, type StoreOptions } from '#lib/store/requests/client.ts'
import { everyItem } from '#lib/store/requests/every-item.ts'
import { createMeter } from '#lib/store/requests/meter.ts'
import { createStore } from '#lib/store/store.ts'
import type { TableLocation } from '#lib/store/table.ts'
import { CommandError } from '#tools/machine/terminal.ts'

/** The installation that `npm run test:live` sends the tests to. */
export interface LiveInstallation extends TableLocation {
  /** Without `/api`. */
  readonly url: string
  /** Only a server of the suite's own has the stopped clock of the tests. */
  readonly clock: 'stopped' | 'real'
  /** A stage in AWS keeps settings and accounts for a second, and its indexes follow its writes. */
  readonly pauseMs: number
}

/** The stopped clock of every test shows this moment, until the test moves it. */
export const START_OF_TESTS = new Date('2026-03-10T12:00:00Z')

type Table = Pick<StoreOptions, 'client' | 'tableName'>

/** Marks a table whose items all come from the live suite. */
const MARK: Key = { PK: 'LIVESUITE', SK: 'LIVESUITE' }

const isMark = ({ PK }: Key): boolean => PK === MARK.PK

const keysOf = async function* (table: Table): AsyncGenerator<Key[]> {
  for await (const page of everyItem({ ...table, meter: createMeter() })) {
    yield page.map(({ PK, SK }) => ({ PK, SK }) as Key)
  }
}

/** Throws CommandError for an installation whose data the live suite must not delete. */
export async function refuseDataOfOthers(live: TableLocation & { readonly url: string }): Promise<void> {
  const { url, tableName } = live
  const production = [tableName, url].find((name) => /\bprod\b/.test(name))
  if (production !== undefined)
    throw new CommandError(
      `${production} looks like production: the tests would delete its data. Use another stage, or pass --yes-write.`,
    )
  if (await holdsOnlyTests({ client: createClient(live), tableName })) return
  throw new CommandError(
    `The table ${tableName} holds data that the tests would delete: use an empty one, or pass --yes-write.`,
  )
}

/** Whether a table is empty, or holds what an interrupted run of the live suite left. */
async function holdsOnlyTests(table: Table): Promise<boolean> {
  const marked = await createStore({ ...table, meter: createMeter() }).get(MARK)
  if (marked) return true
  const { value: first = [] } = await keysOf(table).next()
  return first.length === 0
}

/** Deletes every item and leaves the mark, so that an interrupted run can be repeated. */
export async function emptyTable(table: Table): Promise<void> {
  const store = createStore({ ...table, meter: createMeter() })
  await store.putBatch([MARK])
  for await (const keys of keysOf(table)) {
    const others = keys.filter((key) => !isMark(key))
    for (const batch of slices(others, ITEMS_IN_ONE_WRITE)) await store.removeBatch(batch)
  }
}

/** Deletes every item, the mark last. */
export async function leaveTable(table: Table): Promise<void> {
  await emptyTable(table)
  await createStore({ ...table, meter: createMeter() }).removeBatch([MARK])
}
