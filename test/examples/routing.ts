import { exampleDevices, people } from '#test/examples/examples.ts'
import { aWorld, type World } from '#test/world.ts'

/** One of each kind for admin (1), Rick (2), Rita (3) and Pat (4): the id of an object is that of its owner, or 1. */
const OWNERS = ['0', '2', '3', '4']

const ownedByEach = (kind: string) =>
  OWNERS.map((owner_id) => ({
    id: owner_id === '0' ? '1' : owner_id,
    name: `${kind} of ${owner_id}`,
    owner_id,
  }))

export const exampleLocationRules = [
  {
    id: '100',
    location_id: '1',
    name: 'To Bob',
    cut: '0',
    add: '370',
    minlen: '5',
    maxlen: '9',
    device_id: '100',
    change_callerid_name: '1',
  },
  { id: '101', location_id: '1', name: 'Cheapest', enabled: '0', lr_type: 'src', src_cut: '00', lcr_id: '1' },
  { id: '200', location_id: '2', name: 'National', cut: '0', add: '49' },
  { id: '400', location_id: '4', name: 'Hidden', cut: '*31#', location_group_id: '4', tariff_id: '4' },
]

/** Locations with rules, and everything that a rule may name. Location 5 is Rick's second one, and empty. */
export const routing = {
  users: people,
  tariffs: ownedByEach('Tariff'),
  devices: exampleDevices,
  dids: ownedByEach('DID').map(({ id, owner_id }) => ({ id, did: `3705200000${id}`, owner_id })),
  lcrs: ownedByEach('LCR'),
  location_groups: ownedByEach('Group'),
  locations: [...ownedByEach('Location'), { id: '5', name: 'Second <one>', owner_id: '2' }],
  location_rules: exampleLocationRules,
}

export const aRoutingWorld = (): Promise<World> => aWorld(routing)
