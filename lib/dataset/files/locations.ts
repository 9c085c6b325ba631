import { locations as stored } from '#lib/store/location-rules/owned-object.ts'
import { ownedObjects } from './owned-objects.ts'

export const locations = ownedObjects({
  accepted: ({ locations }) => locations,
  stored,
})
