import { id, rowReader } from '#lib/store/columns.ts'
import { keyIn } from '#lib/store/keys.ts'
import type { Rule } from './statement.ts'

const readCounter = rowReader({ last: id })

/** The counter of the ids of a kind: it has come to the highest one, so that none is given out twice. */
export const idCounterRule: Rule = (item) => [
  { ids: keyIn(item).PK.slice('ID#'.length), reached: readCounter(item).last },
]
