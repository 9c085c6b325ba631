import type { Deliver } from '#lib/ingest/http/intake-endpoint.ts'
import { people } from '#test/examples/examples.ts'
import { rate, threeTariffs } from '#test/examples/tariffs.ts'
import { anIntake, post } from '#test/mediation/intake.ts'
import type { Framed } from '#test/mediation/written-cdrs.ts'
import { aWorld, type World } from '#test/world.ts'

/** Bob pays a cent a second; Carol pays two, of which Rick pays one. */
const OPERATOR = {
  ...threeTariffs,
  rates: ['1', '2'].map((tariff_id) => rate({ tariff_id, prefix: '44', tariff_rate: '0.6' })),
}

/** An account that does not exist at the beginning. */
export const ZOE = { ...people.find(({ id }) => id === '10'), id: '77', username: 'zoe', tariff_id: '1' }

/** An installation that documents of switches arrive at. */
export interface MediatedWorld extends World {
  readonly authorization: ReadonlyMap<string, string>
}

const SWITCHES = ['gw1', 'gw2', 'sip1']

export async function aMediatedWorld(): Promise<MediatedWorld> {
  const world = await aWorld(OPERATOR)
  const authorization = new Map<string, string>()
  for (const name of SWITCHES) authorization.set(name, await anIntake(world, name))
  return Object.assign(world, { authorization })
}

export async function bring(
  world: MediatedWorld,
  { format, source, text }: Omit<Framed, 'plains'>,
  through: Deliver,
): Promise<void> {
  const headers = { authorization: world.authorization.get(source) ?? '' }
  const { statusCode } = await post(world, format, { body: text, headers, deliver: through })
  if (statusCode !== 200)
    throw new Error(`The endpoint answers ${statusCode}: ${JSON.stringify(world.log.slice(-3))}`)
}
