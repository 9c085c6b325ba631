import { expect, test } from 'vitest'
import { people } from '#test/examples/examples.ts'
import { aWorld } from '#test/world.ts'
import { type DidsOptions, didsReport } from './dids-report.ts'

const did = (id: string, number: string, cells: Readonly<Record<string, string>> = {}) => ({
  id,
  did: number,
  owner_id: '0',
  ...cells,
})

const call = (uniqueid: string, src: string, dst: string, cells: Readonly<Record<string, string>> = {}) => ({
  uniqueid,
  src,
  dst,
  calldate: '2026-03-10 09:00:00',
  disposition: 'ANSWERED',
  duration: '70',
  billsec: '60',
  hangupcause: '16',
  user_id: '10',
  user_price: '0.3',
  ...cells,
})

const operator = {
  users: people,
  providers: [{ id: '1', name: 'Potomac' }],
  devices: [{ id: '100', user_id: '10', name: 'bobs-phone', extension: '1001', description: 'Desk' }],
  dids: [
    did('1', '+370 5200 0002'),
    did('2', '37052000001', { status: 'active', provider_id: '1', user_id: '10', device_id: '100' }),
  ],
  calls: [
    call('a', '4420', '0037052000001'),
    call('b', '4420', '852000001', { calldate: '2026-03-11 09:00:00', disposition: 'BUSY', billsec: '0' }),
    call('c', '37052000001', '+37052000002'),
    call('d', '4420', '4921'),
  ],
}

async function reported(options: Partial<DidsOptions> = {}) {
  const settings = { National_Prefix: '8', Country_Code: '370', Timezone: 'Europe/Vilnius' }
  const { store } = await aWorld(operator, settings)
  const days = { from: '2026-03-01', till: '2026-03-31' }
  const report = await didsReport(store, { days, filters: new Map(), dispositions: undefined, ...options })
  expect(report.title).toMatch(/^DIDs, and their calls from .* \(Europe\/Vilnius\)$/)
  return Array.fromAsync(report.rows)
}

test('a DID has its provider, its customer and the calls of its number, however it was dialled', async () => {
  expect(await reported()).toEqual([
    expect.objectContaining({
      did: '+370 5200 0002',
      status: undefined,
      provider: undefined,
      customer: undefined,
      incoming_calls: 1,
      outgoing_calls: 0,
      last_outgoing: undefined,
    }),
    {
      did: '37052000001',
      status: 'active',
      provider: 'Potomac',
      customer: 'bob',
      device: 'bobs-phone',
      extension: '1001',
      description: 'Desk',
      incoming_calls: 2,
      incoming_duration: 140,
      incoming_billsec: 60,
      last_incoming: '2026-03-11 09:00:00',
      outgoing_calls: 1,
      outgoing_billsec: 60,
      last_outgoing: '2026-03-10 09:00:00',
    },
  ])
})

test('DIDs are selected by their columns, calls by day and disposition', async () => {
  const active = new Map([['status', new Set(['active'])] as const])

  expect(await reported({ filters: active, dispositions: new Set(['answered']) })).toMatchObject([
    { did: '37052000001', incoming_calls: 1 },
  ])
  expect(await reported({ filters: new Map([['provider', new Set(['thames'])]]) })).toEqual([])
  expect(await reported({ days: { from: '2026-03-11', till: '2026-03-11' } })).toMatchObject([
    { incoming_calls: 0 },
    { incoming_calls: 1, outgoing_calls: 0 },
  ])
})
