import { people } from '#test/examples/examples.ts'
import { rate } from '#test/examples/tariffs.ts'

const [bob] = people.filter(({ username }) => username === 'bob')

/** The accounts, devices, DID and carrier of data/switches/scenarios/README.md. */
export const SCENARIO_OPERATOR = {
  users: [
    { ...people[0] },
    { ...bob, id: '10', username: 'acme', tariff_id: '1' },
    { ...bob, id: '11', username: 'globex', tariff_id: '1' },
  ],
  tariffs: [{ id: '1', name: 'Retail', owner_id: '0' }],
  rates: [
    rate({ prefix: '1', tariff_rate: '0.06' }),
    rate({ prefix: '37', tariff_rate: '0.3' }),
    rate({ prefix: '44', tariff_rate: '0.6' }),
  ],
  providers: [{ id: '1', name: 'potomac', addresses: '192.0.2.200' }],
  devices: [
    { id: '1', user_id: '10', name: '1001', extension: '1001' },
    { id: '2', user_id: '10', name: '1002', extension: '1002' },
    { id: '3', user_id: '11', name: '1003', extension: '1003' },
  ],
  dids: [{ id: '1', did: '12025550100', owner_id: '0', user_id: '11' }],
}
