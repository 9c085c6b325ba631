import { lcrs as stored } from '#lib/store/location-rules/owned-object.ts'
import { ownedObjects } from './owned-objects.ts'

export const lcrs = ownedObjects({
  accepted: ({ lcrs }) => lcrs,
  stored,
})
