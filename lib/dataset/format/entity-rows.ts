import type { Reasons } from '#lib/domain/row-refused.ts'
import type { Imported } from '#lib/store/columns.ts'
import { type Entity, entriesOf, type Stored } from '#lib/store/entity.ts'
import { changesOf, dropStalePointer } from '#lib/store/entity-changes.ts'
import { isUnder, type Key, keyIn } from '#lib/store/keys.ts'
import { acceptedIds, type ImportWorld } from './import-world.ts'
import { goneMeanwhile, referenceProblems } from './references.ts'
import { itself, replacing, rowByRow } from './row-by-row.ts'
import type { RowEntry, RowFormat } from './row-format.ts'

/** What is special about a file whose rows are an entity each. */
interface Special<R> extends Partial<Pick<RowFormat<R>, 'claims' | 'counted' | 'revision'>> {
  /** Says what a row must be like besides its columns. */
  problem?(row: R): string | undefined
  /** Says more about rows that name what exists. */
  check?(entries: readonly RowEntry<R>[], world: ImportWorld): Promise<Reasons>
  /** Rows of one lane follow one another: they change the same items. Without this, every row is a lane. */
  lane?(row: R): number
  /** Says that another row holds a claim. */
  held?(claim: Key, holder: number): string
  /** Says why a row cannot be written although all that it names exists. */
  obstacle?(row: R, world: ImportWorld): Promise<string | undefined>
  /** Writes a row otherwise than by the changes of its entity. */
  replace?(row: Imported<R>, before: Stored<R> | undefined, world: ImportWorld): Promise<void>
}

/** A file whose rows are an entity each. What the entity claims and requires is checked. */
export function entityRows<R extends object>(entity: Entity<R>, special: Special<R> = {}): RowFormat<R> {
  const { problem, check, lane, held, obstacle, replace, ...others } = special
  const [idColumn = ''] = (entity.pointer ?? entity.key).names
  const idOf = (row: R) => (row as Readonly<Record<string, number>>)[idColumn] as number
  const isHeld = heldClaims(entity, held)
  return {
    columns: entity.columns,
    keyColumns: [idColumn],
    optionalReferences: entity.requires.filter(({ column }) => entity.columns[column]?.blank),
    exported: { holds: isUnder(entity.key), read: entity.check },
    claims: (row) => [`${idColumn} ${idOf(row)}`],
    check: async (entries, world) => {
      const rows = entries.map(({ row }) => row)
      const missing = await referenceProblems(world, rows, entity.requires)
      const further = (await check?.(entries, world)) ?? []
      const brought = acceptedIds(world.accepted, entity.key)
      const own = new Set(rows.map(idOf))
      const taken = await isHeld(rows, world, (id) => !own.has(id) && !brought.has(id))
      const problems = rows.map((row, at) => problem?.(row) ?? missing[at] ?? further[at] ?? taken[at])
      for (const [at, row] of rows.entries()) if (problems[at] === undefined) brought.add(idOf(row))
      return problems
    },
    ...rowByRow<R, Stored<R> | undefined>({
      lane: lane ?? idOf,
      find: (rows, { store }) => entity.findMany(store, rows.map(idOf)),
      columnsIn: itself,
      write: replacing(async (world, row, before) => {
        if (replace) await replace(row, before, world)
        else await world.store.transact(changesOf(entity, before, row))
      }),
      obstacle: async (row, world) => {
        await dropStalePointer(world.store, entity, idOf(row))
        const [taken] = await isHeld([row], world, (id) => id !== idOf(row))
        return taken ?? (await goneMeanwhile(row, world, entity.requires)) ?? obstacle?.(row, world)
      },
    }),
    ...others,
  }
}

/** Tells which rows claim what another row holds. */
const heldClaims =
  <R>(entity: Entity<R>, held: Special<R>['held']) =>
  async (
    rows: readonly R[],
    { store }: ImportWorld,
    isAnother: (id: number) => boolean,
  ): Promise<Reasons> => {
    if (!held) return []
    const claims = rows.map((row) => entriesOf(entity, entity.claims, row).map(keyIn))
    const holders = await store.getMany(claims.flat())
    return claims.map((keys) => {
      const taken = holders.splice(0, keys.length).map((holder) => holder && Number(holder['id']))
      const at = taken.findIndex((id) => id !== undefined && isAnother(id))
      return at < 0 ? undefined : held(keys[at] as Key, taken[at] as number)
    })
  }
