import { carryOut } from '#lib/acts/act.ts'
import type { ActContext } from '#lib/acts/context.ts'
import { type Endpoint, findEndpoint } from '#lib/alerts/endpoint.ts'
import { addWebhook } from '#lib/alerts/endpoint-acts.ts'
import type { EventType } from '#lib/alerts/event-types.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import type { World } from '#test/world.ts'

interface WantedEndpoint {
  readonly owner?: number
  readonly url?: string
  readonly events: readonly EventType[]
}

/** Where an owner of endpoints acts: an admin, or a reseller, whose account need not exist. */
export async function actingFor(
  { store, now }: Pick<World, 'store' | 'now'>,
  owner: number,
): Promise<ActContext> {
  const usertype = owner === 0 ? ('admin' as const) : ('reseller' as const)
  const actor = { id: owner, owner_id: 0, usertype, username: 'test', permissions: '' }
  return { store, settings: await settingsOf(store), now, actor, namesAreTyped: false }
}

/** Adds an endpoint as its owner does. */
export async function anEndpoint(
  world: Pick<World, 'store' | 'now'>,
  { owner = 0, url = 'https://example.com/', events }: WantedEndpoint,
): Promise<Endpoint> {
  const { answer } = await carryOut(addWebhook, await actingFor(world, owner), {
    url,
    events: events.join(','),
  })
  const added = await findEndpoint(world.store, owner, answer.id)
  if (!added) throw new Error('The endpoint was not stored')
  return added
}
