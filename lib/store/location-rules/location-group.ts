import { locationGroupKey } from '#lib/store/keys.ts'
import { finder, replacer } from './owned-object.ts'

// Access patterns

export const findLocationGroups = finder(locationGroupKey)
export const replaceLocationGroup = replacer(locationGroupKey)
