import { findLcrs, replaceLcr } from '#lib/store/location-rules/lcr.ts'
import { ownedObjects } from './owned-objects.ts'

export const lcrs = ownedObjects({
  accepted: ({ lcrs }) => lcrs,
  find: findLcrs,
  replace: replaceLcr,
})
