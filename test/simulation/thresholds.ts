import { unmarshall } from '@aws-sdk/util-dynamodb'
import { alertKeys, waitingIn } from '#lib/alerts/event.ts'
import { type Attributes, type Item, numberOf } from '#lib/table/items.ts'
import { exact } from '#test/plain-sums.ts'
import type { WatchedMoney } from './book.ts'
import { ACCOUNTS } from './dataset.ts'
import type { Invariant, SeenTable } from './seen.ts'

// What is told of the money that is left, beside each write of a balance.

/** The amount by which a part of a balance differs from its opening. */
export const movedBy = ({ paid, adjusted, charged, fees }: Item): bigint =>
  exact(paid) + exact(adjusted) - exact(charged) - exact(fees)

const openingOf = (id: string) => exact(ACCOUNTS.find((one) => one.id === id)?.['balance'])

const isBelow = (left: bigint, threshold: bigint): boolean =>
  threshold > 0n ? left < threshold : left <= threshold

/** A threshold that was told is told again only after a balance that reaches it. */
export function noteMoney(watched: ReadonlyMap<string, WatchedMoney>, attributes: Attributes): void {
  const [kind, id = ''] = attributes['PK']?.S?.split('#') ?? []
  const money = watched.get(id)
  if (!money || (kind !== 'BALANCE' && kind !== 'ALERT')) return
  const item = unmarshall(attributes, { wrapNumbers: numberOf })
  if (kind === 'ALERT') noteTold(money, id, item)
  if (kind !== 'BALANCE') return
  money.parts.set(String(item['PK']), movedBy(item))
  const left = [...money.parts.values()].reduce((sum, one) => sum + one, openingOf(id))
  for (const one of money.told) if (!isBelow(left, one)) money.told.delete(one)
}

function noteTold({ told, events, again }: WatchedMoney, id: string, item: Item): void {
  for (const [name, { type, body }] of waitingIn(item)) {
    if (events.has(name) || !type.startsWith('balance.')) continue
    events.add(name)
    const { thresholds = ['0'] } = JSON.parse(body).data
    for (const one of thresholds) {
      if (told.has(exact(one))) again.push(`${id} was told ${type} ${one} twice, without a rise in between`)
      told.add(exact(one))
    }
  }
}

/** Each threshold is told once, until the money has reached it again. */
const thresholdsAreEdges = ({ scene: { book } }: SeenTable): string[] =>
  book.opening === 'never' ? [...book.watched.values()].flatMap(({ again }) => again) : []

/** The lowest threshold that an account is below is the one that was told last. */
function thresholdsAreTold({ items, scene: { book } }: SeenTable): string[] {
  if (book.missesLook || book.opening !== 'never') return []
  return [...book.watched.keys()].flatMap((id) => {
    const alert_at = ACCOUNTS.find((one) => one.id === id)?.['alert_at']
    const left = leftOf(items, id)
    const below = [...String(alert_at).split(','), '0'].map(exact).filter((one) => isBelow(left, one))
    const { PK } = alertKeys.item(id)
    const told = items.find((item) => item['PK'] === PK && item['SK'] === 'ALERT')?.['told']
    const isTold =
      below.length === 0 ? told === undefined : told !== undefined && exact(told) === below.at(-1)
    return isTold ? [] : [`${id} has ${euro(left)}, below ${below.map(euro)}, and was told ${told}`]
  })
}

const MILLIONTH = 1_000_000_000n

export const euro = (amount = 0n): string => String(Number(amount / MILLIONTH) / 1e6)

/** The balance of an account. */
export const leftOf = (items: readonly Item[], id: number | string): bigint =>
  items
    .filter(({ PK, SK }) => SK === 'BALANCE' && String(PK).startsWith(`BALANCE#${id}#`))
    .reduce((sum, part) => sum + movedBy(part), openingOf(String(id)))

export const THRESHOLD_INVARIANTS: Readonly<Record<string, Invariant>> = {
  thresholds: thresholdsAreEdges,
  'thresholds told': thresholdsAreTold,
}
