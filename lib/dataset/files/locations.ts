import { entityRows } from '#lib/dataset/format/entity-rows.ts'
import { locations as entity } from '#lib/store/location-rules/location-rule.ts'

export const locations = entityRows(entity)
