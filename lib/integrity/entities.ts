import { entities } from '#lib/store/entities.ts'
import { type Entity, entriesOf, keyOfRow, placesOf, type Requirement } from '#lib/store/entity.ts'
import type { Item } from '#lib/store/items.ts'
import { isSameKey, isUnder, type Key, keyIn } from '#lib/store/keys.ts'
import { agrees, listed, type Statement } from './statement.ts'

/** What the declarations say of an item: of a row, or of an entry that leads back to one. */
export function statementsOfEntities(item: Item): readonly Statement[] | undefined {
  const entity = ROWS.find(([holds]) => holds(item))?.[1]
  if (entity) return statementsOfRow(entity, item)
  const claimed = ENTRIES.find(([holds]) => holds(item))?.[1]
  return claimed && [leadsBack(claimed, item)]
}

const ROWS = entities.map((entity) => [isUnder(entity.key), entity] as const)

const ENTRIES = entities.flatMap((entity) =>
  [...entity.claims, ...entity.copies].map(({ key }) => [isUnder(key), entity] as const),
)

/** A row stands in its lists, its claims and copies lead to it, and what it names exists and counts it. */
function statementsOfRow(entity: Entity, item: Item): Statement[] {
  const row = entity.check(item)
  const subject = `${entity.name} ${nameOfRow(entity, row)}`
  const entries = entriesOf(entity, [...entity.claims, ...entity.copies], row)
  return [
    ...listed(item, { ...keyOfRow(entity, row), ...placesOf(entity, row) }, subject),
    ...entries.map(({ PK, SK, ...entry }) =>
      agrees(
        { PK, SK },
        entry,
        `${PK} ${SK} does not lead to ${subject}, or differs from it; import it again.`,
      ),
    ),
    ...entity.requires.flatMap((requirement) => requirementOf(requirement, row, subject)),
    ...countersOf(entity, row),
  ]
}

const nameOfRow = ({ pointer, key }: Entity, row: Item): string =>
  String(row[(pointer ?? key).names[0] ?? ''])

function requirementOf(
  { column, names, counted, same = [], mayGo }: Requirement,
  row: Item,
  subject: string,
) {
  const id = row[column]
  if (id === undefined || mayGo) return []
  const key = names(Number(id))
  const agreed = Object.fromEntries(same.map((name) => [name, row[name]]))
  const said = Object.entries(agreed).map(([name, value]) => ` with ${name} ${value}`)
  return [
    agrees(key, agreed, `${subject} names ${column} ${id}${said.join('')}, which does not exist.`),
    ...(counted === undefined ? [] : [{ of: counterIn(key, counted), adds: 1 }]),
  ]
}

/** The counters of a row, which the rows that name it count up. */
const countersOf = (entity: Entity, row: Item): Statement[] =>
  entities
    .flatMap(({ requires }) => requires)
    .flatMap(({ names, counted }) =>
      counted === undefined || names !== entity.key
        ? []
        : [{ of: counterIn(keyOfRow(entity, row), counted), says: Number(row[counted]) }],
    )

const counterIn = ({ PK }: Key, counted: string): string => `${counted} of ${PK}`

/** A claim or a copy: the row exists, and has it. */
function leadsBack(entity: Entity, item: Item): Statement {
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
