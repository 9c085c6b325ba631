import { lcrKey } from '#lib/store/keys.ts'
import { finder, replacer } from './owned-object.ts'

// Access patterns

export const findLcrs = finder(lcrKey)
export const replaceLcr = replacer(lcrKey)
