import { paired } from '#lib/base/collections.ts'
import { allProblems, type ColumnProblem, type ProblemOf, type RowProblem } from '#lib/base/row-refused.ts'
import type { Imported } from '#lib/table/columns.ts'
import { type Entity, entriesOf, idColumnOf, type Stored } from '#lib/table/entity.ts'
import { changesOf, dropStalePointer } from '#lib/table/entity-changes.ts'
import { type Key, keyIn } from '#lib/table/keys.ts'
import type { Change } from '#lib/table/requests/changes.ts'
import { type ImportContext, isOutsideDataset } from './import-context.ts'
import { deletedReference, referenceProblems } from './references.ts'
import { rowByRow } from './row-by-row.ts'
import { type RowEntry, type RowFormat, rowsOf } from './row-format.ts'

/** The rules of a file beyond the declaration of its entity. */
interface EntityRules<R> extends Partial<Pick<RowFormat<R>, 'claims' | 'counted' | 'names' | 'revision'>> {
  /** The problem of a row beyond its single columns. */
  problem?(row: R): RowProblem | undefined
  /** The problems that only a look at other data shows. */
  check?(entries: readonly RowEntry<R>[], context: ImportContext): Promise<ProblemOf<RowEntry<R>>>
  /** Rows of one lane change the same items: they are written in sequence. The default is the id. */
  lane?(row: R): number
  /** The reason to refuse a row whose claim another row holds. Without it, stored claims are not checked. */
  held?(claim: Key, holder: number): ColumnProblem
  /** The reason why a row cannot be written although everything it names exists. */
  obstacle?(row: R, context: ImportContext): Promise<RowProblem | undefined>
  /** Stores a row by further changes than those of its entity. */
  replacing?(
    row: Imported<R>,
    before: Stored<R> | undefined,
    context: ImportContext,
  ): Promise<readonly Change[]> | readonly Change[]
}

/**
 * The format of a file whose rows are one entity each. References and claims of the entity are checked.
 *
 * @example
 * const servicesFile = entityRows(services, {
 *   problem: ({ quantity }) => (quantity < 1 ? 'quantity is below 1' : undefined),
 *   lane: ({ owner_id }) => owner_id,
 * })
 */
export function entityRows<R extends object>(entity: Entity<R>, rules: EntityRules<R> = {}): RowFormat<R> {
  const { problem, check, lane, held, obstacle, replacing, ...others } = rules
  const idColumn = idColumnOf(entity)
  const idOf = (row: R): number => Object(row)[idColumn]
  const findHeldClaims = heldClaims(entity, held)
  return {
    columns: entity.columns,
    key: entity.key,
    keyColumns: [idColumn],
    optionalReferences: entity.requires.filter(({ column }) => entity.columns[column]?.blank),
    claims: (row) => [`${idColumn} ${idOf(row)}`],
    check: async (entries, context) => {
      const rows = rowsOf(entries)
      const missing = await referenceProblems(context, rows, entity.requires)
      const further = await check?.(entries, context)
      const isAnother = isOutsideDataset(rows.map(idOf), context, entity.key)
      const taken = await findHeldClaims(rows, context, isAnother)
      return (entry) =>
        allProblems(problem?.(entry.row), missing(entry.row), further?.(entry), taken(entry.row))
    },
    ...rowByRow<R, Stored<R> | undefined>({
      lane: lane ?? idOf,
      find: async (rows, { store }) => {
        const found = paired(rows, await entity.findMany(store, rows.map(idOf)))
        return (row) => found.get(row)
      },
      columnsIn: (stored) => stored,
      changes: async ({ row, digest }, before, context) => {
        if (before?.digest === digest) return undefined
        const imported = { ...row, digest }
        const changes = (await replacing?.(imported, before, context)) ?? changesOf(entity, before, imported)
        return { changes }
      },
      obstacle: async (row, context) => {
        await dropStalePointer(context.store, entity, idOf(row))
        const taken = await findHeldClaims([row], context, (id) => id !== idOf(row))
        const gone = await deletedReference(row, context, entity.requires)
        return allProblems(taken(row), gone, await obstacle?.(row, context))
      },
    }),
    ...others,
  }
}

/** Finds the rows with a claim that another row holds in the table. */
export const heldClaims =
  <R>(entity: Entity<R>, held: EntityRules<R>['held']) =>
  async (
    rows: readonly R[],
    { store }: ImportContext,
    isAnother: (id: number) => boolean,
  ): Promise<ProblemOf<R>> => {
    if (!held) return () => undefined
    const claims = rows.flatMap((row) =>
      entriesOf(entity, entity.claims, row).map((entry) => ({ row, claim: keyIn(entry) })),
    )
    const keys = claims.map(({ claim }) => claim)
    const holders = paired(keys, await store.getMany(keys))
    const reasons = new Map<R, ColumnProblem>()
    for (const { row, claim } of claims) {
      const holder = holders.get(claim)
      const id = Number(holder?.['id'])
      if (holder && isAnother(id) && !reasons.has(row)) reasons.set(row, held(claim, id))
    }
    return (row) => reasons.get(row)
  }
