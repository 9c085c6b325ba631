import type { FormatName } from '#lib/cdrs/formats/formats.ts'
import type { Outgoing, SentCall, ToldCall } from './book.ts'
import type { Draws } from './random.ts'

/** A call rings so long before it is answered or given up. */
export const RINGING_SECONDS = 10

const lengthOf = ({ lengths }: SentCall): number => lengths.at(-1) ?? 0

const fieldsOf = (call: SentCall) => ({
  uniqueid: call.uniqueid,
  start: String(call.start),
  src: call.src,
  dst: call.dst,
  duration: String(lengthOf(call) + RINGING_SECONDS),
  billsec: String(lengthOf(call)),
  disposition: lengthOf(call) > 0 ? 'ANSWERED' : 'NO ANSWER',
  accountcode: call.account,
})

/** Columns in any order, times as the clock shows them. */
function csvText(calls: readonly SentCall[], format: string, { below }: Draws): string {
  const names = Object.keys(fieldsOf(calls[0] as SentCall)) as (keyof ReturnType<typeof fieldsOf>)[]
  const order = names.splice(below(names.length)).concat(names)
  const rows = calls.map((call) => {
    const start = new Date(call.start * 1000).toISOString().slice(0, 19).replace('T', ' ')
    return order.map((name) => ({ ...fieldsOf(call), start })[name]).join(',')
  })
  const header = order.join(',')
  return [format === 'csv' ? header.replace('accountcode', 'account_code') : header, ...rows].join('\n')
}

/** Events of a proxy: the answer and the end of a call, or its refusal. Either side may hang up. */
function dialogEvents(call: SentCall, { onceIn }: Draws): Outgoing[] {
  const { uniqueid, start, src, dst, account } = call
  const length = lengthOf(call)
  const event = (method: string, time: number, sip_code: string, tags: readonly [string, string]) => ({
    ...{ time, method, callid: uniqueid, from_tag: tags[0], to_tag: tags[1], sip_code, sip_reason: 'x' },
    ...{ src_user: src, dst_user: dst, accountcode: account },
  })
  const documentOf = (
    told: Omit<ToldCall, 'uniqueid' | 'length'>,
    of: ReturnType<typeof event>,
  ): Outgoing => ({
    format: 'kamailio-json',
    text: JSON.stringify(of),
    calls: [call],
    told: [{ uniqueid, length, ...told }],
  })
  if (length === 0) return [documentOf({}, event('INVITE', start, '486', ['a', 'b']))]
  return [
    documentOf({ half: 'INVITE' }, event('INVITE', start, '200', ['a', 'b'])),
    documentOf({ half: 'BYE' }, event('BYE', start + length, '200', onceIn(2) ? ['a', 'b'] : ['b', 'a'])),
  ]
}

/** Asterisk's second CDR of a call: one of both is billed. */
function legOf(call: SentCall): string {
  const { uniqueid, leg } = call
  const other = leg === 'linked' ? { uniqueid: legNameOf(uniqueid) } : { sequence: 5 }
  return JSON.stringify({ ...fieldsOf(call), linkedid: uniqueid, ...other })
}

const legNameOf = (uniqueid: string): string => uniqueid.replace('c', 'k')

/** The call that a CDR is of. */
export const callOfLeg = (uniqueid: string): string => uniqueid.replace(/^k/, 'c')

/** The calls as a switch of this format tells them, in one document or several. */
export function writtenDocuments(format: FormatName, calls: readonly SentCall[], draws: Draws): Outgoing[] {
  if (format === 'kamailio-json') return calls.flatMap((call) => dialogEvents(call, draws))
  const documentOf = (text: string, some: readonly SentCall[] = calls): Outgoing => ({
    ...{ format, text, calls: some },
    told: some.map((call) => ({ uniqueid: call.uniqueid, length: lengthOf(call) })),
  })
  if (format !== 'asterisk-json') return [documentOf(csvText(calls, format, draws))]
  const objects = calls.map((call) => ({ ...fieldsOf(call), linkedid: call.uniqueid }))
  const legs = calls.filter(({ leg }) => leg !== undefined).map((call) => documentOf(legOf(call), [call]))
  const text = draws.onceIn(2)
    ? JSON.stringify(objects)
    : objects.map((one) => JSON.stringify(one)).join('\n')
  return [documentOf(text), ...legs]
}
