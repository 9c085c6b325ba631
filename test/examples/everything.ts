import { allDocuments } from '#test/examples/billing-examples.ts'
import { routing } from '#test/examples/routing.ts'
import { aMinute, rate } from '#test/examples/tariffs.ts'

const call = (user_id: string, calldate: string) => ({
  uniqueid: `call-of-${user_id}-${calldate.replace(' ', '-')}`,
  ...aMinute,
  calldate,
  src: '37000001',
  dst: '37060012345',
  user_id,
  provider_id: '1',
  user_price: '0.1',
  provider_price: '0.05',
  reseller_price: '0.07',
})

/** Rows of every dataset file for everyone in examples.ts, around the tests' day: all kinds of items. */
export const everything = {
  ...routing,
  ...allDocuments,
  dids: [...routing.dids, { id: '9', did: '37052000009', owner_id: '2', user_id: '20', device_id: '200' }],
  device_rules: [
    { id: '5', device_id: '100', name: 'Local', cut: '0', add: '370' },
    { id: '6', device_id: '200', name: 'Abroad', cut: '00' },
  ],
  destinations: [{ prefix: '370', direction: 'Lithuania', destination: 'Lithuania' }],
  npas: [{ npa: '212', state: 'NY' }],
  origins: [{ tariff_id: '1', origin: 'EEA', prefix: '370' }],
  rates: ['1', '2'].flatMap((tariff_id) =>
    ['370', '3706'].map((prefix) =>
      rate({ tariff_id, prefix, tariff_rate: '0.1', destination: 'Lithuania' }),
    ),
  ),
  providers: [{ id: '1', name: 'Thames', tariff_id: '1' }],
  calls: ['10', '20', '30', '2'].flatMap((user) => [
    call(user, '2026-03-10 09:00:00'),
    call(user, '2026-03-09 09:00:00'),
  ]),
  active_calls: [
    { id: '1', start_time: '2026-03-10 11:59:00', src: '37000001', user_id: '10', dst_user_id: '20' },
    { id: '2', start_time: '2026-03-10 11:58:00', src: '37000002', user_id: '30' },
  ],
  local_calls: [
    {
      uniqueid: 'local-1',
      calldate: '2026-03-10 09:00:00',
      originator_user_id: '10',
      terminator_user_id: '20',
    },
  ],
  queue_log: [{ id: '1', time: '2026-03-10 09:00:00', queue_name: 'reception', event: 'ENTERQUEUE' }],
}
