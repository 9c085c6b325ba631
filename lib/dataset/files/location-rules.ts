import { createHash } from 'node:crypto'
import type { Accepted, ImportWorld } from '#lib/dataset/format/import-world.ts'
import { rowByRow } from '#lib/dataset/format/row-by-row.ts'
import type { RowFormat } from '#lib/dataset/format/row-format.ts'
import { LENGTHS } from '#lib/domain/location-rules/location-rule.ts'
import { hasEffect } from '#lib/domain/location-rules/location-rule-change.ts'
import type { Target } from '#lib/domain/location-rules/location-rule-targets.ts'
import { findDevice } from '#lib/store/devices/device.ts'
import {
  findLocationRules,
  type LocationRule,
  type LocationRuleRow,
  locationRuleColumns,
} from '#lib/store/location-rules/location-rule.ts'
import { replaceLocationRule } from '#lib/store/location-rules/location-rule-change.ts'
import { findTargetItems } from '#lib/store/location-rules/location-rule-targets.ts'
import { locations } from '#lib/store/location-rules/owned-object.ts'
import type { Store } from '#lib/store/store.ts'

/** Rules that overlap are taken: an installation that has copied rules has them. */
export const locationRules: RowFormat<LocationRuleRow> = {
  columns: locationRuleColumns,
  counted: 'location_rule',
  claims: ({ id }) => [`id ${id}`],
  check: async (entries, world) => {
    const rows = entries.map(({ row }) => row)
    const references = await Promise.all(REFERENCES.map((reference) => findMissing(reference, rows, world)))
    return rows.map(
      (row, position) =>
        ruleProblem(row) ?? references.map((missing) => missing[position]).find((reason) => reason),
    )
  },
  write: rowByRow<LocationRuleRow, LocationRule | undefined>({
    lane: laneOf,
    find: (rows, { store }) =>
      findLocationRules(
        store,
        rows.map(({ id }) => id),
      ),
    write: async ({ row, digest }, before, { store }) => {
      if (before?.digest === digest) return 'unchanged'
      await replaceLocationRule(store, before, { ...row, version: before?.version ?? 1, digest })
      return 'written'
    },
    obstacle: async ({ device_id }, { store }: ImportWorld) =>
      device_id === undefined || (await findDevice(store, device_id))
        ? undefined
        : `device_id: there is no device ${device_id}`,
  }),
}

/** Rules of one location, type, cut and add change the same item; all others of a large location need not wait. */
function laneOf({ location_id, lr_type, cut, add }: LocationRuleRow): number {
  const place = [location_id, lr_type, cut, add].join('|')
  return createHash('sha256').update(place).digest().readUInt32BE()
}

function ruleProblem(row: LocationRuleRow): string | undefined {
  if (row.name.trim() === '') return 'name must not be blank'
  if (!hasEffect(row)) return 'cut, add, src_cut, src_add and every target are blank'
  if (!isRange(row.minlen, row.maxlen)) return `minlen and maxlen ${NO_RANGE}`
  return isRange(row.src_minlen, row.src_maxlen) ? undefined : `src_minlen and src_maxlen ${NO_RANGE}`
}

const NO_RANGE = `are no range from ${LENGTHS.shortest} to ${LENGTHS.longest}`

const isRange = (from: number, to: number): boolean =>
  LENGTHS.shortest <= from && from <= to && to <= LENGTHS.longest

/** A column that names something else, and what this dataset brings of that. */
interface Reference {
  readonly column: 'location_id' | Target
  readonly noun: string
  readonly brought: (accepted: Accepted) => Pick<ReadonlySet<number>, 'has'>
}

const REFERENCES: readonly Reference[] = [
  { column: 'location_id', noun: 'location', brought: ({ locations }) => locations },
  { column: 'lcr_id', noun: 'LCR', brought: ({ lcrs }) => lcrs },
  { column: 'tariff_id', noun: 'tariff', brought: ({ tariffs }) => tariffs },
  { column: 'did_id', noun: 'DID', brought: ({ dids }) => dids },
  { column: 'device_id', noun: 'device', brought: ({ devices }) => devices },
  { column: 'location_group_id', noun: 'location group', brought: ({ location_groups }) => location_groups },
]

/** Why each row cannot be imported, if what it names by this column is nowhere. */
async function findMissing(
  { column, noun, brought }: Reference,
  rows: readonly LocationRuleRow[],
  { store, accepted }: ImportWorld,
): Promise<(string | undefined)[]> {
  const named = new Set(rows.map((row) => row[column]))
  const missing = [...named].filter((id) => id !== undefined && !brought(accepted).has(id)) as number[]
  const found = await findNamed(store, column, missing)
  const nowhere = new Set(missing.filter((_, position) => !found[position]))
  return rows.map(({ [column]: id }) =>
    id !== undefined && nowhere.has(id) ? `${column}: there is no ${noun} ${id}` : undefined,
  )
}

const findNamed = (store: Store, column: Reference['column'], ids: readonly number[]) =>
  column === 'location_id' ? locations.findMany(store, ids) : findTargetItems(store, column, ids)
