import type { APIGatewayProxyResult } from 'aws-lambda'
import type { GivenTexts } from '#lib/acts/inputs.ts'
import { addIntake } from '#lib/cdrs/switches/intake-acts.ts'
import { deliverAsMessages } from '#lib/ingest/http/deliver-to-queue.ts'
import { deliverToTable } from '#lib/ingest/http/deliver-to-table.ts'
import { type Deliver, intakeEndpoint } from '#lib/ingest/http/intake-endpoint.ts'
import { secretOf } from '#test/acts/carry-out.ts'
import type { DatasetRows } from '#test/datasets/import-rows.ts'
import { aContext, anEvent, type Request } from '#test/event.ts'
import { notingWrites } from '#test/evidence/written-keys.ts'
import { consume } from '#test/queue/queue.ts'
import { aWorld, type World } from '#test/world.ts'

/** Adds a switch that may send CDRs. Returns its Authorization header. */
export async function anIntake(world: World, name: string, described: GivenTexts = {}): Promise<string> {
  return basic(name, await secretOf(world, addIntake, { name, ...described }))
}

/** A world of these rows with a switch that may send CDRs. */
export async function aWorldWithIntake(rows: DatasetRows = {}, name = 'fs1') {
  const world = await aWorld(rows)
  return { world, authorization: await anIntake(world, name) }
}

export const basic = (name: string, secret: string): string =>
  `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}`

/** The queue's consumer takes the messages at once. */
const throughQueue = (world: World): Deliver =>
  deliverAsMessages(async (messages) => {
    const { batchItemFailures } = await consume(world, ...messages)
    if (batchItemFailures.length > 0) throw new Error('The queue kept a message')
  })

/** `POST /intake/<format>`, with the consumer of the queue behind it, unless `deliver` names another one. */
export const post = (
  world: World,
  format: string,
  {
    deliver = throughQueue(world),
    name = deliver === deliverToTable ? 'intake_locally' : 'intake',
    ...request
  }: Request & { readonly deliver?: Deliver; readonly name?: 'intake' | 'intake_locally' },
): Promise<APIGatewayProxyResult> => {
  const openStore = notingWrites(name, world.services.openStore)
  const event = { ...anEvent({ path: `/intake/${format}`, ...request }), pathParameters: { format } }
  return intakeEndpoint(deliver, { ...world.services, openStore })(event, aContext())
}
