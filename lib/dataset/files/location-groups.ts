import { locationGroups as stored } from '#lib/store/location-rules/owned-object.ts'
import { ownedObjects } from './owned-objects.ts'

export const locationGroups = ownedObjects({
  accepted: ({ location_groups }) => location_groups,
  stored,
})
