import { allReasons, type Reasons } from '#lib/domain/row-refused.ts'
import type { Imported } from '#lib/store/columns.ts'
import { type Entity, entriesOf, type Stored } from '#lib/store/entity.ts'
import { changesOf, dropStalePointer } from '#lib/store/entity-changes.ts'
import { isUnder, type Key, keyIn } from '#lib/store/keys.ts'
import { acceptedIds, type ImportWorld } from './import-world.ts'
import { deletedReference, referenceProblems } from './references.ts'
import { rowByRow } from './row-by-row.ts'
import type { RowEntry, RowFormat } from './row-format.ts'

/** The rules of a file beyond the declaration of its entity. */
interface EntityRules<R> extends Partial<Pick<RowFormat<R>, 'claims' | 'counted' | 'revision'>> {
  /** The problem of a row beyond its single columns. */
  problem?(row: R): string | undefined
  /** The problems that only a look at other data shows. */
  check?(entries: readonly RowEntry<R>[], world: ImportWorld): Promise<Reasons>
  /** Rows of one lane are written one after another, because they change the same items. The default is the id. */
  lane?(row: R): number
  /** The reason to refuse a row whose claim another row holds. Without it, stored claims are not checked. */
  held?(claim: Key, holder: number): string
  /** The reason why a row cannot be written although everything it names exists. */
  obstacle?(row: R, world: ImportWorld): Promise<string | undefined>
  /** Writes a row in another way than by the changes of its entity. */
  replace?(row: Imported<R>, before: Stored<R> | undefined, world: ImportWorld): Promise<void>
}

/** The format of a file whose rows are one entity each. References and claims of the entity are checked. */
export function entityRows<R extends object>(entity: Entity<R>, rules: EntityRules<R> = {}): RowFormat<R> {
  const { problem, check, lane, held, obstacle, replace, ...others } = rules
  const [idColumn = ''] = (entity.pointer ?? entity.key).names
  const idOf = (row: R) => (row as Readonly<Record<string, number>>)[idColumn] as number
  const findHeldClaims = heldClaims(entity, held)
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
      const taken = await findHeldClaims(rows, world, (id) => !own.has(id) && !brought.has(id))
      const problems = rows.map((row, at) => allReasons(problem?.(row), missing[at], further[at], taken[at]))
      for (const [at, row] of rows.entries()) if (problems[at] === undefined) brought.add(idOf(row))
      return problems
    },
    ...rowByRow<R, Stored<R> | undefined>({
      lane: lane ?? idOf,
      find: (rows, { store }) => entity.findMany(store, rows.map(idOf)),
      columnsIn: (stored) => stored,
      write: async ({ row, digest }, before, world) => {
        if (before?.digest === digest) return 'unchanged'
        const imported = { ...row, digest }
        if (replace) await replace(imported, before, world)
        else await world.store.transact(changesOf(entity, before, imported))
        return 'written'
      },
      obstacle: async (row, world) => {
        await dropStalePointer(world.store, entity, idOf(row))
        const [taken] = await findHeldClaims([row], world, (id) => id !== idOf(row))
        return taken ?? (await deletedReference(row, world, entity.requires)) ?? obstacle?.(row, world)
      },
    }),
    ...others,
  }
}

/** Finds the rows with a claim that another row holds in the table. */
const heldClaims =
  <R>(entity: Entity<R>, held: EntityRules<R>['held']) =>
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
