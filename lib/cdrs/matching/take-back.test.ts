import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb'
import { expect, test } from 'vitest'
import { ARCHIVED_BEFORE } from '#lib/settings/settings.ts'
import { settingsKey } from '#lib/settings/stored-settings.ts'
import { callsIn, suspenseOf } from '#test/dump.ts'
import { aroundRequests } from '#test/faults/around-requests.ts'
import { anOperator, INVOICE_OF_BOB, send } from '#test/mediation/csv-switch.ts'
import { damageIn } from '#test/soundness.ts'
import { isSweep, shareOf } from '#test/sweep.ts'
import { type World, withClient } from '#test/world.ts'
import type { CdrDocument } from '../formats/formats.ts'

const CDR = {
  accountcode: 'bob',
  src: '1001',
  dst: '12025550171',
  channel: 'PJSIP/bobs-phone-00000001',
  dstchannel: 'PJSIP/potomac-00000002',
  start: '2026-03-10 10:00:00',
  duration: 70,
  billsec: 60,
  disposition: 'ANSWERED',
}

const ID = '1773136800.1'

const FIRST_CHANNEL = { uniqueid: ID, linkedid: ID }
const LOCAL_CHANNEL = { uniqueid: '1773136800.3', linkedid: ID, start: '2026-03-10 10:00:01', duration: 69 }
const OTHER_LOCAL_CHANNEL = { ...LOCAL_CHANNEL, uniqueid: '1773136800.5' }

type Change = Readonly<Record<string, unknown>>

/** Each crossing is of a switch of its own. */
const documentOf = (source: string, cdr: Change): Partial<CdrDocument> => ({
  format: 'asterisk-json',
  source,
  text: JSON.stringify({ ...CDR, ...cdr }),
})

/** Two crossing deliveries: the second begins at a request of the first, and then stops until its end. */
interface Crossing {
  readonly begins: number
  readonly stops: number
}

const NEVER = Number.POSITIVE_INFINITY

/** Delivers two documents at the same moment. */
async function deliverCrossed(
  world: World,
  [first, second]: readonly [Partial<CdrDocument>, Partial<CdrDocument>],
  { begins, stops }: Crossing,
): Promise<void> {
  const [begun, stopped, ended] = [gate(), gate(), gate()]
  const one = sendAround(world, first, async (request) => {
    if (request !== begins) return
    begun.open()
    await stopped.passed
  })
  const other = begun.passed.then(() =>
    sendAround(world, second, async (request) => {
      if (request !== stops) return
      stopped.open()
      await ended.passed
    }),
  )
  await Promise.race([one, other.then(stopped.open).then(() => one)])
  begun.open()
  ended.open()
  await other
}

function gate() {
  let open = () => {}
  const passed = new Promise<void>((resolve) => {
    open = resolve
  })
  return { passed, open: () => open() }
}

/** Sends a document, and waits before each request. */
async function sendAround(
  world: World,
  document: Partial<CdrDocument>,
  before: (request: number, command: object) => Promise<void>,
): Promise<void> {
  let requests = 0
  const client = aroundRequests(world.table.client, async (command, sendOn) => {
    requests += 1
    await before(requests, command)
    return sendOn()
  })
  await send(withClient(world, client), document)
}

/** The calls of each switch, and what is suspended, as texts. */
async function billedIn(world: World): Promise<Map<string, string[]>> {
  const items = await world.dump()
  expect(await damageIn(world, items)).toEqual([])
  const billed = new Map<string, string[]>()
  const note = (source = '', text: string) => billed.set(source, [...(billed.get(source) ?? []), text])
  for (const { source, user_price } of callsIn(items)) note(source, `billed ${user_price}`)
  for (const { source, reason } of await suspenseOf(world)) note(source, reason)
  return billed
}

/** A delivery of one CDR has fewer requests. */
const PLACES = Array.from({ length: 25 }, (_, index) => index + 1)

const ONCE = ['billed 0.03']
const ONCE_AND_TOLD = ['billed 0.03', 'possible_duplicate']

const PAIRS: [string, Change, Change, string[]][] = [
  ['a Local channel and the channel that called it', FIRST_CHANNEL, LOCAL_CHANNEL, ONCE],
  ['two Local channels of a call', LOCAL_CHANNEL, OTHER_LOCAL_CHANNEL, ONCE],
  ['a call as Master.csv and as JSON', { uniqueid: ID }, { uniqueid: ID, sequence: 5 }, ONCE_AND_TOLD],
  ['a call with and without a unique id', { uniqueid: ID }, {}, ONCE_AND_TOLD],
]

const ALL_PAIRS = PAIRS.flatMap(([name, one, other, billed]): typeof PAIRS => [
  [name, one, other, billed],
  [`${name}, the other way round`, other, one, billed],
])

const crossings: Crossing[] = [NEVER, ...shareOf(PLACES, 0)].flatMap((stops) =>
  PLACES.map((begins) => ({ begins, stops })),
)

/** The sweep also tries them the other way round, and all stops of the second delivery. */
test.each((isSweep ? ALL_PAIRS : PAIRS).map((pair, turn) => [...pair, turn] as const))(
  'mediated at the same moment, %s are billed once',
  async (_name, one, other, billed, turn) => {
    const world = await anOperator()
    const expected = new Map<string, string[]>()
    const tried = shareOf(isSweep ? crossings : crossings.slice(0, PLACES.length), turn)
    for (const crossing of tried) {
      const source = `pbx-${crossing.begins}-${crossing.stops}`
      await deliverCrossed(world, [documentOf(source, one), documentOf(source, other)], crossing)
      expected.set(source, billed)
    }
    expect(await billedIn(world)).toEqual(expected)
  },
)

const storesCall = (command: object): boolean =>
  command instanceof TransactWriteCommand &&
  (command.input.TransactItems ?? []).some(({ Put }) => String(Put?.Item?.['PK']).startsWith('CALL#'))

/** Both are stored, and both consumers end before they look again. */
async function storeBoth(world: World, documents: readonly Partial<CdrDocument>[]): Promise<void> {
  const bothRead = gate()
  const waiting = new Set<object>()
  const pass = async (document: object) => {
    waiting.add(document)
    if (waiting.size === documents.length) bothRead.open()
    await bothRead.passed
  }
  const store = async (document: Partial<CdrDocument>) => {
    const stored = sendAround(world, document, async (_request, command) => {
      if (waiting.has(document)) throw new Error('killed')
      if (storesCall(command)) await pass(document)
    })
    await expect(stored).rejects.toThrow('killed')
  }
  await Promise.all(documents.map(store))
}

const IN_INVOICED_MONTH = PAIRS.map(([name, ...pair]) => [`${name}, of an invoiced month,`, ...pair] as const)

test.each([...PAIRS, ...IN_INVOICED_MONTH])(
  '%s are billed once after both consumers were killed',
  async (name, one, other, billed) => {
    const world = await anOperator()
    const documents = [documentOf('pbx', one), documentOf('pbx', other)]
    await storeBoth(world, documents)
    expect((await billedIn(world)).get('pbx')).toHaveLength(2)
    if (name.includes('invoiced')) await world.given({ invoices: [INVOICE_OF_BOB] })

    for (const document of documents) await send(world, document)
    expect(await billedIn(world)).toEqual(new Map([['pbx', billed]]))
  },
)

test('a call that is archived is not taken back, and the log says so', async () => {
  const world = await anOperator()
  const documents = [documentOf('pbx', { uniqueid: ID }), documentOf('pbx', { uniqueid: ID, sequence: 5 })]
  await storeBoth(world, documents)
  await world.store.update(settingsKey, { set: { [ARCHIVED_BEFORE]: '2026-03-11' } })

  for (const document of documents) expect(await send(world, document)).toMatchObject({ duplicate: 1 })
  expect(world.meter.noted).toMatchObject({ repeat_kept: expect.any(Number) })
})
