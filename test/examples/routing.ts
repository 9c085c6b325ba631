import { exampleDevices, exampleLocationRules, people } from '#test/examples/examples.ts'
import { aWorld, type World } from '#test/world.ts'

/** One of each kind for admin (1), Rick (2), Rita (3), Pat (4): an id is that of its owner, or 1. */
const OWNERS = ['0', '2', '3', '4']

const ownedByEach = (kind: string) =>
  OWNERS.map((owner_id) => ({
    id: owner_id === '0' ? '1' : owner_id,
    name: `${kind} of ${owner_id}`,
    owner_id,
  }))

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
