import { secondsOf } from '#lib/base/calendar.ts'
import { people } from '#test/examples/examples.ts'
import { aWorld, START_OF_TESTS } from '#test/world.ts'

/** The moment of the tests. */
export const NOON_SECONDS = secondsOf(START_OF_TESTS)

/** A row of Bob's call at nine. */
export const listedCall = (uniqueid: string, rest: Readonly<Record<string, string>> = {}) => ({
  uniqueid,
  calldate: '2026-03-10 09:00:00',
  src: '37000001',
  dst: '12025550199',
  disposition: 'ANSWERED',
  duration: '70',
  billsec: '61',
  hangupcause: '16',
  user_id: '10',
  device_id: '100',
  user_price: '0',
  ...rest,
})

const calls = [
  listedCall('bob-2', {
    calldate: '2026-03-10 10:00:00',
    dst: '+37 (0) 5',
    disposition: 'BUSY',
    provider_id: '5',
    hangupcause: '17',
  }),
  listedCall('bob-1', {
    user_rate: '0.987',
    user_price: '10',
    provider_id: '6',
    provider_rate: '0.5',
    provider_price: '0.0000001',
  }),
  listedCall('carol-1', {
    user_id: '20',
    device_id: '200',
    calldate: '2026-03-10 09:30:00',
    reseller_price: '0.25',
  }),
  listedCall('rick-1', {
    user_id: '2',
    device_id: '201',
    disposition: 'NO ANSWER',
    calldate: '2026-03-10 09:30:00',
  }),
  listedCall('paula-1', {
    user_id: '40',
    device_id: '400',
    disposition: 'FAILED',
    calldate: '2026-03-09 23:59:59',
  }),
  listedCall('dave-1', { user_id: '30', calldate: '2026-03-10 00:00:00' }),
]

/** The ids of the calls of the day of the tests, by time. */
export const EVERYONE_TODAY = ['dave-1', 'bob-1', 'carol-1', 'rick-1', 'bob-2']

/** Calls of all people: Paula's is of the day before, the others are of the day of the tests. */
export const aWorldWithCalls = () => aWorld({ users: people, calls })
