import { defineAct } from '#lib/acts/act.ts'
import type { ActContext } from '#lib/acts/context.ts'
import { accountInput, listInput, optionalInput, switchInput } from '#lib/acts/inputs.ts'
import { secondsOf } from '#lib/base/calendar.ts'
import { slices } from '#lib/base/collections.ts'
import { add } from '#lib/base/money.ts'
import { Refusal } from '#lib/base/refusal.ts'
import { countOf } from '#lib/base/text.ts'
import { exactly } from '#lib/table/items.ts'
import { is } from '#lib/table/requests/changes.ts'
import { hasWritten } from '#lib/table/requests/retries.ts'
import { findHolds, holdsKey, readHold, releaseUpdate } from './holds.ts'

declare module '#lib/base/refusal.ts' {
  interface Refusals {
    readonly no_hold_named: Record<never, never>
    readonly unknown_hold: { readonly username: string; readonly hold: string }
    readonly no_holds: { readonly username: string }
    readonly holds_changed: { readonly username: string }
  }
}

const callers = ['admin'] as const

/** Holds are attributes of one item, which no transaction may touch: a release is a plain write. */
const HOLDS_AT_ONCE = 100

/** Releases holds by their names, or those whose time is over. */
export const releaseHolds = defineAct({
  summary: 'Release holds of calls that are over, such as those whose CDR never came',
  callers,
  input: {
    account: accountInput('the username or id'),
    holds: optionalInput(
      listInput(
        'names of holds',
        'HOLDS',
        (text) => text || undefined,
      )('the holds to release, as list names them'),
    ),
    expired: switchInput('those whose time is over'),
  },
  run: async (context, { account: { id, username }, holds: names = [], expired }) => {
    const { store, now } = context
    if (names.length === 0 && !expired) throw new Refusal('no_hold_named', {}, 'holds')
    const [holds] = await findHolds(store, [id])
    const isMeant = (name: string, text: string) =>
      names.includes(name) || (expired && readHold(text).until < secondsOf(now))
    const texts = new Map([...(holds?.texts ?? [])].filter(([name, text]) => isMeant(name, text)))
    const missing = names.find((name) => !texts.has(name))
    if (missing !== undefined) throw new Refusal('unknown_hold', { username, hold: missing }, 'holds')
    const answer = { account: id, released: texts.size }
    if (texts.size === 0) return { answer }
    const words = `${texts.size === 1 ? 'hold' : 'holds'} of ${username}`
    return {
      begins: `releases ${texts.size} ${words}`,
      async *steps() {
        let released = 0
        for (const some of slices(texts, HOLDS_AT_ONCE)) {
          const { update, to, when } = releaseUpdate(id, new Map(some))
          if (!(await hasWritten(store.update(update, to, when))))
            throw new Refusal('holds_changed', { username })
          released += some.length
          yield `${released} holds released`
        }
        return { answer, did: `released ${texts.size} ${words}` }
      },
    }
  },
})

/** Writes the sum and the number of the holds again. */
export const recountHolds = defineAct({
  summary: 'Write the sum and the number of the holds of an account again',
  callers,
  input: { account: accountInput('the username or id') },
  run: async ({ store }: ActContext, { account: { id, username } }) => {
    const [item] = await store.getMany([holdsKey(id)])
    const [holds] = await findHolds(store, [id])
    if (!item || !holds) throw new Refusal('no_holds', { username })
    const { texts, epoch } = holds
    const sum = add('0', ...[...texts.values()].map((text) => readHold(text).amount))
    const set = { held: exactly(sum), open: texts.size, epoch: epoch + 1 }
    const asRead = Object.entries(item).filter(([name]) => name !== 'PK' && name !== 'SK')
    const when = Object.fromEntries(
      asRead.map(([name, value]) => [name, is(name === 'held' ? exactly(String(value)) : value)]),
    )
    return {
      begins: `recounts the holds of ${username}`,
      async *steps() {
        if (!(await hasWritten(store.update(holdsKey(id), { set }, when))))
          throw new Refusal('holds_changed', { username })
        yield 'holds recounted'
        const calls = countOf(texts.size, 'call')
        return {
          answer: { account: id, held: sum, calls: texts.size },
          did: `recounted the holds of ${username}: ${sum} for ${calls}`,
        }
      },
    }
  },
})
