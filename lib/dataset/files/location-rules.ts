import { createHash } from 'node:crypto'
import { goneMeanwhile, referenceProblems } from '#lib/dataset/format/references.ts'
import { byId, itself, replacing, rowByRow } from '#lib/dataset/format/row-by-row.ts'
import type { RowFormat } from '#lib/dataset/format/row-format.ts'
import { LENGTHS } from '#lib/domain/location-rules/location-rule.ts'
import { hasEffect } from '#lib/domain/location-rules/location-rule-change.ts'
import {
  findLocationRules,
  type LocationRule,
  type LocationRuleRow,
  locationRuleColumns,
} from '#lib/store/location-rules/location-rule.ts'
import { replaceLocationRule } from '#lib/store/location-rules/location-rule-change.ts'

/** Rules that overlap are accepted, because an installation that has copied rules has them. */
export const locationRules: RowFormat<LocationRuleRow> = {
  columns: locationRuleColumns,
  optionalReferences: {
    lcr_id: 'lcr',
    tariff_id: 'tariff',
    did_id: 'did',
    device_id: 'device',
    location_group_id: 'location_group',
  },
  counted: 'location_rule',
  claims: ({ id }) => [`id ${id}`],
  check: async (entries, world) => {
    const rows = entries.map(({ row }) => row)
    const problems = await referenceProblems(world, rows, {
      location_id: 'location',
      lcr_id: 'lcr',
      tariff_id: 'tariff',
      did_id: 'did',
      device_id: 'device',
      location_group_id: 'location_group',
    })
    return rows.map((row, position) => ruleProblem(row) ?? problems[position])
  },
  ...rowByRow<LocationRuleRow, LocationRule | undefined>({
    lane: laneOf,
    find: byId(findLocationRules),
    columnsIn: itself,
    write: replacing(({ store }, rule, before) =>
      replaceLocationRule(store, before, { ...rule, version: before?.version ?? 1 }),
    ),
    obstacle: goneMeanwhile({ device_id: 'device' }),
  }),
}

/** Rules with the same location, type, cut and add change the same item; only they wait for one another. */
function laneOf({ location_id, lr_type, cut, add }: LocationRuleRow): number {
  const place = [location_id, lr_type, cut, add].join('|')
  return createHash('sha256').update(place).digest().readUInt32BE()
}

function ruleProblem(row: LocationRuleRow): string | undefined {
  if (row.name.trim() === '') return 'name must not be blank'
  if (!hasEffect(row)) return 'cut, add, src_cut, src_add and every target are blank'
  if (!isRange(row.minlen, row.maxlen)) return `minlen and maxlen ${NOT_A_RANGE}`
  return isRange(row.src_minlen, row.src_maxlen) ? undefined : `src_minlen and src_maxlen ${NOT_A_RANGE}`
}

const NOT_A_RANGE = `are not a range from ${LENGTHS.shortest} to ${LENGTHS.longest}`

const isRange = (from: number, to: number): boolean =>
  LENGTHS.shortest <= from && from <= to && to <= LENGTHS.longest
