import { expect, test } from 'vitest'
import type { RateAgainAnswer, ReratingsAnswer } from '#lib/api/console/answers/calls.ts'
import { listNewestLogEntries } from '#lib/settings/audit-log.ts'
import { aSignedClient } from '#test/console/console-client.ts'
import { searchedCalls } from '#test/dump.ts'
import { estates } from '#test/examples/estates.ts'
import { consume } from '#test/queue/queue.ts'
import { damageIn } from '#test/soundness.ts'
import { aWorld } from '#test/world.ts'

const DAYS = { from: '2026-03-01', till: '2026-03-31', with: 'active' }

const CALLS = 130

/** Calls of one customer at 0.1 a minute, now rated 0.2; the first one is another customer's. */
async function aWorldWithCalls() {
  const world = await aWorld({ ...estates, calls: [], invoices: [], invoice_products: [], credit_notes: [] })
  const call = {
    src: '37000000001',
    dst: '37060012345',
    disposition: 'ANSWERED',
    duration: '60',
    billsec: '60',
  }
  const records = Array.from({ length: CALLS }, (_, index) => ({
    ...call,
    uniqueid: `again-${index}`,
    calldate: `2026-03-0${1 + (index % 9)} 12:00:00`,
    user_id: index === 0 ? '20' : '10',
  }))
  await consume(world, { type: 'calls', records })
  await world.given({ rates: [{ tariff_id: '3010', prefix: '370', tariff_rate: '0.2' }] })
  return world
}

const sumsIn = (pages: readonly RateAgainAnswer[]) =>
  pages.map(({ calls, total, same, next, customers }) => ({
    ...{ calls, total, same, isLast: next === null },
    changed: customers.map(
      (one) => `${one.customer.id}: ${one.calls}, ${one.before.user} -> ${one.after.user}`,
    ),
  }))

test('calls are previewed and re-rated page by page, and a repeated page changes nothing', async () => {
  const world = await aWorldWithCalls()
  const client = await aSignedClient(world, 'admin')
  const pages = async (path: string) => {
    const found: RateAgainAnswer[] = []
    for (let more: object | undefined = {}; more; ) {
      const { status, body } = await client.send('POST', path, { ...DAYS, customer: 10, ...more })
      expect(status).toBe(200)
      const page = body as unknown as RateAgainAnswer
      found.push(page)
      const run = page.run === null ? {} : { run: page.run }
      more = page.next === null ? undefined : { after: page.next, ...run }
    }
    return found
  }
  const before = await world.dump()
  const planned = [
    { calls: 100, total: 129, same: 0, isLast: false, changed: ['10: 100, 10 -> 20'] },
    { calls: 29, total: null, same: 0, isLast: true, changed: ['10: 29, 2.9 -> 5.8'] },
  ]

  expect(sumsIn(await pages('/reratings/preview'))).toEqual(planned)
  expect(await world.dump()).toEqual(before)
  const changed = await pages('/reratings')
  expect(sumsIn(changed)).toEqual(planned)
  world.now = new Date('2026-03-10T12:01:00Z')
  const again = await client.send('POST', '/reratings', { ...DAYS, customer: 10 })
  expect(again.body).toMatchObject({ calls: 100, same: 100, customers: [] })

  const { runs } = (await client.get('/reratings')).body as unknown as ReratingsAnswer
  expect(runs).toMatchObject([{ changed: 129, before: '12.9', after: '25.8', ended: '2026-03-10 12:00:00' }])
  const prices = (await searchedCalls(world)).map(({ user_id, user_price }) => `${user_id} ${user_price}`)
  expect([...new Set(prices)].sort()).toEqual(['10 0.2', '20 0.1'])
  const log = await listNewestLogEntries(world.store, 9)
  const actions = log.map((entry) => ('action' in entry ? entry.action : ''))
  expect(actions.filter((action) => action.startsWith('re-rate'))).toEqual([
    're-rated 129 calls of 2026-03-01 to 2026-03-31 by bob: 12.9 -> 25.8 USD',
  ])
  expect(await damageIn(world)).toEqual([])

  const ended = { ...DAYS, customer: 10, run: changed[0]?.run ?? '' }
  expect((await client.send('POST', '/reratings', ended)).status).toBe(409)
})

test('a page continues a run of its own options alone', async () => {
  const client = await aSignedClient(await aWorldWithCalls(), 'admin')
  const { body } = await client.send('POST', '/reratings', { ...DAYS, customer: 10 })
  const { run, next } = body as unknown as RateAgainAnswer
  const page = { ...DAYS, customer: 10, run: run ?? '', after: next ?? '' }

  expect((await client.send('POST', '/reratings', { ...page, tariff: 3010 })).status).toBe(409)
  expect(await client.send('POST', '/reratings', page)).toMatchObject({
    status: 200,
    body: { calls: 29, run, next: null },
  })
})

test('a first page that is sent again with its key begins no second run', async () => {
  const world = await aWorldWithCalls()
  const client = await aSignedClient(world, 'admin')
  const sent = { ...DAYS, till: DAYS.from, customer: 10, 'idempotency-key': 'form-1' }

  const first = await client.send('POST', '/reratings', sent)
  const second = await client.send('POST', '/reratings', sent)

  expect(first).toMatchObject({ status: 200, body: { calls: 14, next: null } })
  expect(second).toMatchObject({ status: 409, body: { error: { code: 'already_done' } } })
  expect((await client.get('/reratings')).body).toMatchObject({
    runs: [{ changed: 14, ended: expect.any(String) }],
  })
  expect(await listNewestLogEntries(world.store, 1)).toMatchObject([
    { action: 're-rated 14 calls of 2026-03-01 by bob: 1.4 -> 2.8 USD' },
  ])
})

test('a re-rating that changes nothing is no run', async () => {
  const client = await aSignedClient(await aWorldWithCalls(), 'admin')

  const { body } = await client.send('POST', '/reratings', { ...DAYS, customer: 20 })

  expect(body).toMatchObject({ calls: 1, same: 1, customers: [], run: null, next: null })
  expect((await client.get('/reratings')).body).toMatchObject({ runs: [] })
})

test.each([
  [{ from: '' }, 'from is missing, expected day'],
  [{ from: '2026-04-01' }, '2026-04-01 is after 2026-03-31: exchange them'],
  [{ from: 'soon' }, 'from is "soon", expected day'],
  [{ tariff: 99 }, 'There is no tariff 99'],
  [{ provider: 99 }, 'There is no provider 99'],
  [{ customer: 99 }, 'There is no account 99'],
  [{ after: 'x' }, 'after is "x", expected page key'],
  [{ run: 'x#y' }, 'This run has ended, or has other options'],
])('a re-rating of %j is refused', async (values, message) => {
  const client = await aSignedClient(await aWorld(estates), 'admin')

  const { body } = await client.send('POST', '/reratings', { ...DAYS, ...values })

  expect(JSON.stringify(body)).toContain(JSON.stringify(message).slice(1, -1))
})
