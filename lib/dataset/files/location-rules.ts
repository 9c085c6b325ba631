import { createHash } from 'node:crypto'
import type { RowProblem } from '#lib/base/row-refused.ts'
import { entityRows } from '#lib/dataset/format/entity-rows.ts'
import type { RowFormat } from '#lib/dataset/format/row-format.ts'
import { hasRuleEffect, LOCATION_RULE_LENGTHS } from '#lib/devices/location-rule.ts'
import {
  type LocationRuleRow,
  lcrs,
  locationGroups,
  locationRules,
  locations,
} from '#lib/devices/location-rule-stored.ts'
import { locationRuleReplaced } from '#lib/devices/location-rule-writing.ts'

const names = { column: 'name' }

export const lcrsFile = entityRows(lcrs, { names })
export const locationGroupsFile = entityRows(locationGroups, { names })
export const locationsFile = entityRows(locations, { names })

/** Overlapping rules are accepted, because copies of location rules overlap in existing installations. */
export const locationRulesFile: RowFormat<LocationRuleRow> = entityRows(locationRules, {
  counted: 'location_rule',
  problem: ruleProblem,
  lane: laneOf,
  replacing: (rule, before, { store }) => locationRuleReplaced(store, before, rule),
})

/** Rules with the same location, type, cut and add change the same item. */
function laneOf({ location_id, lr_type, cut, add }: LocationRuleRow): number {
  const place = [location_id, lr_type, cut, add].join('|')
  return createHash('sha256').update(place).digest().readUInt32BE()
}

function ruleProblem(row: LocationRuleRow): RowProblem | undefined {
  if (row.name.trim() === '') return { code: 'blank', field: 'name', values: {} }
  if (!hasRuleEffect(row)) return 'cut, add, src_cut, src_add and every target are blank'
  if (!isRange(row.minlen, row.maxlen)) return `minlen and maxlen ${NOT_A_RANGE}`
  return isRange(row.src_minlen, row.src_maxlen) ? undefined : `src_minlen and src_maxlen ${NOT_A_RANGE}`
}

/** The older schema of the original has 100 as its default, beyond the lengths of the API. */
const LONGEST_MOVED = 100

const NOT_A_RANGE = `are not a range from ${LOCATION_RULE_LENGTHS.shortest} to ${LONGEST_MOVED}`

const isRange = (from: number, to: number): boolean =>
  LOCATION_RULE_LENGTHS.shortest <= from && from <= to && to <= LONGEST_MOVED
