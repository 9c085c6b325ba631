import { entityRows } from '#lib/dataset/format/entity-rows.ts'
import { lcrs as entity } from '#lib/store/location-rules/location-rule.ts'

export const lcrs = entityRows(entity)
