import { isZero } from '#lib/base/money.ts'
import { POSTED_SINCE } from '#lib/billing/journal/posting.ts'
import { entities } from '#lib/dataset/entities.ts'
import { isUsernameNote } from '#lib/devices/dialled.ts'
import {
  type Entity,
  entriesOf,
  idColumnOf,
  keyOfRow,
  placesOf,
  type Requirement,
} from '#lib/table/entity.ts'
import type { Item } from '#lib/table/items.ts'
import { isSameKey, isUnder, type Key, keyIn } from '#lib/table/keys.ts'
import { entriesSince } from '../commands/migrate/new-entries.ts'
import { totalName } from './balance-rules.ts'
import { type Circumstances, type Expectation, expectPlaces, expectValues } from './expectation.ts'

/** The requirements of entity declarations on a row, a claim or a copy. Returns undefined for other items. */
export function declaredExpectations(
  item: Item,
  { format }: Circumstances,
): readonly Expectation[] | undefined {
  const entity = ROWS.find(([holds]) => holds(item))?.[1]
  if (entity) return expectationsOfRow(entity, item, format)
  const claiming = isUsernameNote(item) ? undefined : ENTRIES.find(([holds]) => holds(item))
  if (!claiming) return undefined
  const [, owner, since] = claiming
  return since > format ? [] : [expectRowOf(owner, item)]
}

const ROWS = entities.map((entity) => [isUnder(entity.key), entity] as const)

const ENTRIES = entities.flatMap((entity) =>
  [...entity.claims, ...entity.copies].map(({ key, since = 1 }) => [isUnder(key), entity, since] as const),
)

/** A row is listed, its claims and copies lead to it, and the rows that it names exist and count it. */
function expectationsOfRow(entity: Entity, item: Item, format: number): Expectation[] {
  const row = entity.check(item)
  const subject = `${entity.name} ${row[idColumnOf(entity)]}`
  const entries = entriesOf(
    entity,
    entriesSince(entity, (since) => since <= format),
    row,
  )
  const places = entity.listedSince > format ? {} : placesOf(entity, row)
  return [
    ...expectPlaces(item, { ...keyOfRow(entity, row), ...places }, subject),
    ...entries.map(({ PK, SK, ...entry }) =>
      expectValues(
        { PK, SK },
        entry,
        `${PK} ${SK} does not lead to ${subject}, or differs from it; import it again.`,
      ),
    ),
    ...entity.requires.flatMap((requirement) => expectRequired(requirement, row, subject)),
    ...countersOf(entity, row),
    ...entity.books.flatMap(({ since = 1, item: bookedIn, amounts }) =>
      Object.entries(since > format ? {} : amounts(row))
        .filter(([, adds]) => !isZero(adds))
        .map(([attribute, adds]) => ({ total: totalName(attribute, bookedIn(row).PK), adds })),
    ),
    ...(format < POSTED_SINCE ? [] : entity.posts).flatMap((posting) =>
      posting.totals(row).map(([total, counts]) => ({ total, counts })),
    ),
  ]
}

function expectRequired(
  { column, names, counted, same = [], sameOnceUnless, mayGo }: Requirement,
  row: Item,
  subject: string,
) {
  const id = row[column]
  if (id === undefined || mayGo) return []
  const key = names(Number(id))
  const agreed = Object.fromEntries((sameOnceUnless ? [] : same).map((name) => [name, row[name]]))
  const words = Object.entries(agreed).map(([name, value]) => ` with ${name} ${value}`)
  return [
    expectValues(key, agreed, `${subject} names ${column} ${id}${words.join('')}, which does not exist.`),
    ...(counted === undefined ? [] : [{ total: counterIn(key, counted), adds: 1 }]),
  ]
}

/** The counters of a row count the rows that name it. */
const countersOf = (entity: Entity, row: Item): Expectation[] =>
  entities
    .flatMap(({ requires }) => requires)
    .flatMap(({ names, counted }) =>
      counted === undefined || names !== entity.key
        ? []
        : [{ total: counterIn(keyOfRow(entity, row), counted), counts: Number(row[counted]) }],
    )

const counterIn = ({ PK }: Key, counted: string): string => `${counted} of ${PK}`

/** The row that a claim or copy leads to exists, and has that claim or copy. */
function expectRowOf(entity: Entity, item: Item): Expectation {
  const key = keyIn(item)
  const at = entity.key.of(item)
  return {
    at,
    finds: (found) =>
      found !== undefined &&
      entriesOf(entity, [...entity.claims, ...entity.copies], entity.check(found)).some((entry) =>
        isSameKey(entry, key),
      ),
    otherwise: `${key.PK} ${key.SK} leads to ${at.PK} ${at.SK}, which does not exist or does not have it.`,
  }
}
