import fc from 'fast-check'
import { dialogEvent } from '#test/mediation/csv-switch.ts'
import { type Plain, type PlainCdr, type PlainEvent, PROXY } from '#test/mediation/plain-cdrs.ts'
import {
  aGarbage,
  CDR_FORMATS,
  type Framed,
  JSON_STYLES,
  type Shape,
  writtenDocuments,
} from '#test/mediation/written-cdrs.ts'

/** The ways of documents into the table. */
export const DELIVERY_WAYS = ['mediate', 'queue', 'endpoint to table', 'endpoint to queue'] as const

export type DeliveryWay = (typeof DELIVERY_WAYS)[number]

export type StreamStep =
  | { readonly step: 'deliver'; readonly way: DeliveryWay; readonly documents: readonly Framed[] }
  | { readonly step: 'account' | 'retry cured' | 'retry all' | 'a day passes' }

const DAY_START = Date.UTC(2026, 2, 10) / 1000
const HOUR = 3600

type Unsourced = Omit<PlainCdr, 'source'>

const [EVENING, MORNING] = [DAY_START - 3 * HOUR, DAY_START + 9 * HOUR]
const [RATED_NUMBER, UNRATED_NUMBER] = ['442079460000', '493012345678']

const BEGINNINGS = {
  u1: { start: MORNING, dst: RATED_NUMBER },
  u2: { start: EVENING, dst: RATED_NUMBER },
  u3: { start: MORNING, dst: UNRATED_NUMBER },
  '': { start: EVENING, dst: RATED_NUMBER },
} as const

/** Few ids, numbers and lengths: duplicates, corrections and other calls of one id are frequent. */
const cdrs: fc.Arbitrary<Unsourced> = fc
  .record({
    uniqueid: fc.constantFrom('u1', 'u1', 'u2', 'u3', ''),
    billsec: fc.constantFrom(0, 60, 61, 600),
    account: fc.constantFrom('bob', 'bob', 'carol', 'zoe', 'zoe', 'ghost'),
    chance: fc.nat({ max: 15 }),
  })
  .map(({ chance, ...cdr }) => ({
    kind: 'cdr',
    src: '37060000001',
    ...cdr,
    ...BEGINNINGS[cdr.uniqueid],
    ...(chance === 1 && { start: MORNING + 60 }),
    ...(chance === 2 && { dst: '442079460001' }),
    cause: cdr.billsec > 0 ? 16 : 19,
    duration: chance === 3 ? 30 : cdr.billsec + 10,
  }))

const DIALOGS = { d1: 'bob', d2: 'carol', d3: 'zoe' } as const

const events: fc.Arbitrary<PlainEvent> = fc
  .record({
    dialog: fc.constantFrom('d1', 'd2', 'd3'),
    tells: fc.constantFrom('answered', 'answered', 'ended', 'ended', 'failed'),
    at: fc.constantFrom(...[0, 40, 100].map((seconds) => DAY_START + 8 * HOUR + seconds)),
  })
  .map((event) => ({ kind: 'event', ...event, account: DIALOGS[event.dialog] }))

const shapes: fc.Arbitrary<Shape> = fc.record({
  format: fc.constantFrom(...CDR_FORMATS),
  style: fc.constantFrom(...JSON_STYLES),
  turn: fc.nat({ max: 7 }),
  garbage: fc.option(fc.nat({ max: 2 }), { nil: undefined }),
})

/** Some calls are hung up by the called side, whose tags are the other way round. */
function reported({ dialog, tells, at, account }: PlainEvent): string {
  const method = tells === 'ended' ? 'BYE' : 'INVITE'
  const [from_tag, to_tag] = tells === 'ended' && at % 200 !== 0 ? ['b', 'a'] : ['a', 'b']
  return dialogEvent(method, tells === 'failed' ? '486' : '200', at - MORNING, {
    ...{ callid: dialog, from_tag, to_tag, accountcode: account },
    ...{ src_user: '37060000009', dst_user: '442079460009' },
  })
}

const eventDocument = (some: readonly PlainEvent[]): Framed => ({
  format: 'kamailio-json',
  source: PROXY,
  text: some.map(reported).join('\n'),
  plains: some,
})

/** Deliveries of CDRs and events from pools so small that most come several times. */
const deliveries = fc
  .record({
    cdrs: fc.array(cdrs, { minLength: 3, maxLength: 9 }),
    events: fc.array(events, { minLength: 2, maxLength: 7 }),
  })
  .chain((pool) => {
    const picked = <T>(list: readonly T[]) =>
      fc.array(fc.constantFrom(...list), { minLength: 1, maxLength: 6 })
    const ofCdrs = fc
      .array(fc.tuple(picked(pool.cdrs), shapes), { minLength: 1, maxLength: 3 })
      .chain((documents) =>
        fc.constantFrom('gw1', 'gw1', 'gw2').map((source) =>
          documents.flatMap(([some, shape]) =>
            writtenDocuments(
              source,
              some.map((cdr) => ({ ...cdr, source })),
              shape,
            ),
          ),
        ),
      )
    const ofEvents = fc
      .array(picked(pool.events), { minLength: 1, maxLength: 2 })
      .map((lists) => lists.map(eventDocument))
    const delivery = fc.record({
      step: fc.constant('deliver' as const),
      way: fc.constantFrom(...DELIVERY_WAYS),
      documents: fc.oneof({ weight: 3, arbitrary: ofCdrs }, { weight: 2, arbitrary: ofEvents }),
    })
    return fc.array(delivery, { minLength: 2, maxLength: 7 })
  })

export type Delivery = Extract<StreamStep, { step: 'deliver' }>

/** Deliveries that arrive at the same time. */
export const crowds: fc.Arbitrary<Delivery[]> = deliveries

const others = fc.array(
  fc.constantFrom<StreamStep>(
    { step: 'account' },
    { step: 'retry cured' },
    { step: 'retry all' },
    { step: 'retry all' },
    { step: 'a day passes' },
  ),
  { maxLength: 4 },
)

/** The steps of an installation, one after the other. */
export const streams: fc.Arbitrary<StreamStep[]> = fc
  .tuple(deliveries, others, fc.array(fc.nat({ max: 8 }), { minLength: 4, maxLength: 4 }))
  .map(([some, more, places]) => {
    const steps: StreamStep[] = [...some]
    for (const [index, step] of more.entries()) steps.splice(places[index] ?? 0, 0, step)
    return steps
  })

type Fields = Readonly<Record<string, unknown>>

/** The CDR of a text of suspense, or of a pending event, in plain words. */
export function plainOf({
  source,
  format,
  text,
}: Pick<Framed, 'source' | 'text'> & { format: string }): Plain {
  const fields = format.endsWith('json') ? jsonFields(text) : csvFields(text)
  if (!fields) return aGarbage(source, format, text)
  return format === 'kamailio-json' ? eventIn(fields) : cdrIn(source, fields)
}

function jsonFields(text: string): Fields | undefined {
  return text.startsWith('{') ? (JSON.parse(text) as Fields) : undefined
}

function csvFields(text: string): Fields | undefined {
  const [names = [], cells = []] = text.split('\n').map((line) => line.slice(1, -1).split('","'))
  return names.length === cells.length
    ? Object.fromEntries(names.map((name, index) => [name, cells[index]]))
    : undefined
}

function cdrIn(source: string, fields: Fields): PlainCdr {
  const textOf = (name: string) => String(fields[name] ?? '')
  const start = textOf('start')
  return {
    kind: 'cdr',
    source,
    uniqueid: textOf('uniqueid'),
    src: textOf('src'),
    dst: textOf('dst'),
    start: /^\d+$/.test(start) ? Number(start) : Date.parse(`${start}Z`) / 1000,
    duration: Number(fields['duration']),
    billsec: Number(fields['billsec']),
    cause: Number(fields['billsec']) > 0 ? 16 : 19,
    account: textOf('accountcode') || textOf('account_code'),
  }
}

const eventIn = ({ callid, method, sip_code, time, accountcode }: Fields): PlainEvent => ({
  kind: 'event',
  dialog: String(callid),
  tells: tellsIn(method === 'BYE', sip_code === '486'),
  at: Number(time),
  account: String(accountcode),
})

function tellsIn(isBye: boolean, isRefused: boolean): PlainEvent['tells'] {
  if (isBye) return 'ended'
  return isRefused ? 'failed' : 'answered'
}
