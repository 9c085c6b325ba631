import { BLANK_CALL, type CallRow } from '#lib/calls/call.ts'
import type { Rate } from '#lib/rates/rating.ts'
import type { Cells } from '#lib/table/cells/row-source.ts'
import { accountKey, callerKey } from '#lib/table/keys.ts'
import { exampleDevices, people } from '#test/examples/examples.ts'
import type { World } from '#test/world.ts'

export const [bobsTariff, ricksTariff] = ['1', '2']

/** The currencies of the tariffs. */
export const tariffCurrencies = [{ name: 'EUR', exchange_rate: '0.8', auto_update: '0' }]

/** Admin's retail tariff, which Bob has, and one that Rick made for his customers. */
export const exampleTariffs = [
  { id: bobsTariff, name: 'Retail & more', purpose: 'retail', currency: 'USD', owner_id: '0' },
  { id: ricksTariff, name: 'From Rick', purpose: 'user_wholesale', currency: 'EUR', owner_id: '2' },
]

/** A rate of 370 at any time. */
export const anyTimeRate = (rest: Partial<Rate>): Rate => ({
  prefix: '370',
  origin: '',
  adds: false,
  effective_from: undefined,
  ends_at: undefined,
  after_end: 'fallback',
  start_time: '00:00:00',
  end_time: '23:59:59',
  daytype: 'everyday',
  tariff_rate: '1',
  con_fee: '0',
  increment: 1,
  min_time: 0,
  direction: '',
  destination: '',
  code: '',
  ...rest,
})

/** A row of a rates file. */
export const rate = (cells: Cells): Cells => ({ tariff_id: bobsTariff, tariff_rate: '1', ...cells })

export const destinations = [
  { prefix: '44', direction: 'United Kingdom', destination: 'United Kingdom' },
  { prefix: '49', direction: 'Germany', destination: 'Germany' },
]

/** The people, some of them with a tariff by their name. */
export const withTariff = (
  people: readonly (Cells & { username: string })[],
  of: Readonly<Record<string, string>>,
) => people.map((person) => ({ ...person, tariff_id: of[person.username] ?? '' }))

/** Bob pays by tariff 1 for calls to the United Kingdom, and nobody else has a tariff. */
export const bobsOperator = {
  users: withTariff(people, { bob: bobsTariff }),
  devices: exampleDevices,
  currencies: tariffCurrencies,
  tariffs: exampleTariffs,
  destinations,
  rates: [rate({ prefix: '44' })],
}

/** A stored call of a minute to the United Kingdom, without its customer. */
export const aMinute = {
  calldate: '2026-03-10 10:00:00',
  src: '1',
  dst: '442079460000',
  duration: '70',
  billsec: '60',
  hangupcause: '16',
}

/** A call of a minute to the United Kingdom by Carol, who pays Rick. */
export const carolsCall: CallRow = {
  ...BLANK_CALL,
  uniqueid: 'carols',
  calldate: Date.UTC(2026, 2, 10, 10) / 1000,
  src: '1',
  dst: '442079460000',
  duration: 70,
  billsec: 60,
  disposition: 'ANSWERED',
  hangupcause: 16,
  user_id: 20,
}

/** Bob and Rick pay by dollar tariff 1, Carol by Rick's tariff 2, carrier Potomac charges by tariff 3. */
export const threeTariffs = {
  users: withTariff(people, { bob: '1', rick: '1', carol: '2' }),
  currencies: [
    { name: 'USD', exchange_rate: '1', auto_update: '0' },
    { name: 'EUR', exchange_rate: '0.5', auto_update: '0' },
  ],
  tariffs: [
    ...exampleTariffs,
    { id: '3', name: 'Potomac', purpose: 'provider', currency: 'USD', owner_id: '0' },
  ],
  providers: [{ id: '1', name: 'Potomac', tariff_id: '3' }],
}

/** A tariff that may not be there, which no import takes. */
export async function giveTariff(
  { store }: World,
  { id, username }: { readonly id: number; readonly username: string },
  tariff_id: number,
): Promise<void> {
  for (const key of [accountKey(id), callerKey(username)]) await store.update(key, { set: { tariff_id } })
}
