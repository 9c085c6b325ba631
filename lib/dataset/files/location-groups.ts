import { entityRows } from '#lib/dataset/format/entity-rows.ts'
import { locationGroups as entity } from '#lib/store/location-rules/location-rule.ts'

export const locationGroups = entityRows(entity)
