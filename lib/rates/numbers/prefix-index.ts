/** Finds the entries whose prefixes lead a number, the shortest prefix first. */
export type PrefixIndex<T> = (digits: string) => T[]

/** A node has a place for each digit, and one for the entries whose prefix ends there. */
const PLACES = 11
const OWN_PLACE = 10

const placeOf = (digits: string, at: number): number =>
  at < digits.length ? digits.charCodeAt(at) - ZERO_CODE : OWN_PLACE

const ZERO_CODE = '0'.charCodeAt(0)

/**
 * Holds entries by prefix as a tree of digits that branches only where prefixes differ. The nodes of 500,000
 * prefixes have 7 MB, which the cache of a processor holds.
 */
export function indexByPrefix<T>(entries: Iterable<T>, prefixOf: (entry: T) => string): PrefixIndex<T> {
  const all = [...entries]
  /** A place holds 0, the number of a further node, or the complement of an entry's number. */
  let places = new Int32Array(64 * PLACES)
  let nodes = 1
  /** The further entries of a prefix, in the same form. */
  const nextOf = new Int32Array(all.length)
  const prefixAt = (held: number): string => {
    const entry = all[~held]
    return entry === undefined ? '' : prefixOf(entry)
  }

  /** Puts a node into a place, which keeps what the place held. */
  const addNode = (place: number, kept: number): number => {
    if ((nodes + 1) * PLACES > places.length) places = doubled(places)
    places[nodes * PLACES + kept] = places[place] ?? 0
    places[place] = nodes
    nodes += 1
    return nodes - 1
  }

  const insert = (entry: number, place: number, at: number): void => {
    const held = places[place] ?? 0
    const prefix = prefixAt(entry)
    const other = held < 0 ? prefixAt(held) : prefix
    if (held > 0 || other !== prefix) {
      const node = held > 0 ? held : addNode(place, placeOf(other, at + 1))
      insert(entry, node * PLACES + placeOf(prefix, at + 1), at + 1)
    } else {
      nextOf[~entry] = held
      places[place] = entry
    }
  }
  // From the last one: so the entries of a prefix keep their order.
  for (let index = all.length - 1; index >= 0; index -= 1) insert(~index, placeOf(prefixAt(~index), 0), 0)
  const packed = places.slice(0, nodes * PLACES)

  const addTo = (found: T[], first: number): void => {
    for (let held = first; held < 0; held = nextOf[~held] ?? 0) {
      const entry = all[~held]
      if (entry !== undefined) found.push(entry)
    }
  }
  const heldAt = (node: number, place: number): number => packed[node * PLACES + place] ?? 0
  return (digits) => {
    const found: T[] = []
    let held = 0
    for (let at = 0; held >= 0; at += 1) {
      addTo(found, heldAt(held, OWN_PLACE))
      held = at < digits.length ? heldAt(held, placeOf(digits, at)) : 0
      if (held === 0) return found
    }
    if (digits.startsWith(prefixAt(held))) addTo(found, held)
    return found
  }
}

function doubled(numbers: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(numbers.length * 2)
  larger.set(numbers)
  return larger
}
