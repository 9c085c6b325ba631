import { entities } from '#lib/store/entities.ts'
import type { Entity, Entry, Requirement } from '#lib/store/entity.ts'
import type { KeyForm } from '#lib/store/keys.ts'

/** The table of docs/data-model.md that follows from the declarations of the entities, a line each. */
export const entityTable = (): string =>
  [
    '| entity | key | list in GSI1 | claims | copies and pointers | requires |',
    '| --- | --- | --- | --- | --- | --- |',
    ...entities.map(lineOf),
  ].join('\n')

const lineOf = ({ name, key, list, claims, copies, requires }: Entity): string =>
  `| ${[
    name,
    textOfKey(key),
    list ? textOfKey(list) : '',
    textOfEntries(claims),
    textOfEntries(copies),
    requires.map(textOfRequirement).join(', '),
  ].join(' | ')} |`

const textOfKey = ({ text: [partition, place] }: KeyForm): string => `\`${partition}\` / \`${place}\``

const textOfEntries = (entries: readonly Entry<never>[]): string =>
  entries.map(({ key }) => textOfKey(key)).join('; ')

function textOfRequirement({ column, counted, same = [], mayGo }: Requirement): string {
  const facts = [
    ...(counted === undefined ? [] : [`counted in \`${counted}\``]),
    ...same.map((shared) => `with the same \`${shared}\``),
    ...(mayGo ? ['may be deleted later'] : []),
  ]
  return facts.length === 0 ? `\`${column}\`` : `\`${column}\` (${facts.join(', ')})`
}
