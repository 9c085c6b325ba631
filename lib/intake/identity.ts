import { createHash } from 'node:crypto'

/** What a stored unique id may look like. */
const STORABLE = /^[!-~]{1,150}$/

/**
 * The unique id of a record: the switch's own, or one made from the name of its source and its whole document where the
 * switch gives none, or one that cannot be stored. The same document makes the same id however often it is sent.
 */
export const uniqueIdOf = (own: string, source: string, document: string): string =>
  STORABLE.test(own) ? own : `made-${digestOf(`${source}\0${document}`)}`

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32)
