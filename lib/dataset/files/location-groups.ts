import { findLocationGroups, replaceLocationGroup } from '#lib/store/location-rules/location-group.ts'
import { ownedObjects } from './owned-objects.ts'

export const locationGroups = ownedObjects({
  accepted: ({ location_groups }) => location_groups,
  find: findLocationGroups,
  replace: replaceLocationGroup,
})
