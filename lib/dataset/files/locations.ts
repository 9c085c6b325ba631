import { findLocations, replaceLocation } from '#lib/store/location-rules/location.ts'
import { ownedObjects } from './owned-objects.ts'

export const locations = ownedObjects({
  accepted: ({ locations }) => locations,
  find: findLocations,
  replace: replaceLocation,
})
