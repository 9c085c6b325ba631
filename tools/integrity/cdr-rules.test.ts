import { expect, test } from 'vitest'
import { dialogEventKey } from '#lib/cdrs/dialogs/dialog-event.ts'
import { suspenseKeys } from '#lib/cdrs/suspense/suspense.ts'
import { intakeKeys } from '#lib/settings/intake.ts'
import { isUnder, keyIn } from '#lib/table/keys.ts'
import { suspenseOf } from '#test/dump.ts'
import { anOperator, csv, dialogEvent, send } from '#test/mediation/csv-switch.ts'
import { anIntake } from '#test/mediation/intake.ts'
import { damageIn } from '#test/soundness.ts'
import type { World } from '#test/world.ts'

/** A pending event, and a suspended CDR whose text is stored in parts. */
async function withCdrs(): Promise<World> {
  const world = await anOperator()
  await anIntake(world, 'gw')
  const noise = Array.from({ length: 3000 }, (_, n) => (n * 2_654_435_761).toString(36)).join('')
  await send(
    world,
    csv(
      [{ account_code: 'zoe', userfield: noise }],
      ['start', 'src', 'dst', 'disposition', 'account_code', 'userfield'],
    ),
    { format: 'kamailio-json', text: dialogEvent('INVITE', '200', 0) },
  )
  return world
}

test('suspended CDRs, pending dialog events and intakes are sound', async () => {
  const world = await withCdrs()

  expect(await damageIn(world)).toEqual([])
  expect((await suspenseOf(world)).map(({ parts }) => parts?.count)).toEqual([1])
})

test('a part that is missing, an entry without text and entries that cannot be read are damage', async () => {
  const world = await withCdrs()
  const [entry] = await suspenseOf(world)
  const { id = '', parts } = entry ?? {}
  const part = suspenseKeys.part(id, parts?.digest ?? '', 0)
  const stored = (await world.dump()).find(isUnder(dialogEventKey))
  const pending = keyIn(stored ?? {})

  await world.store.transact([{ remove: part }])
  expect(await damageIn(world)).toEqual([`The suspended CDR ${id} has lost a part of its text: drop it.`])
  await world.store.update(suspenseKeys.item(id), { set: { parts: undefined } })
  await world.store.update(pending, { set: { document: dialogEvent('BYE', '200', 9) } })
  await world.store.update(intakeKeys.item('gw'), { set: { secret_sha256: 1 } })
  const { PK, SK } = pending
  expect(await damageIn(world)).toEqual([
    `${PK} ${SK} holds no event of its dialog, so it is never correlated.`,
    expect.stringContaining('INTAKE#gw INTAKE cannot be read: '),
    `The suspended CDR ${id} has no text: drop it.`,
  ])
})

test('a pending event under the key of another one is damage', async () => {
  const world = await withCdrs()
  const stored = (await world.dump()).find(isUnder(dialogEventKey)) ?? {}
  const { PK, SK } = keyIn(stored)
  const other = SK.replace('#200', '#404')

  await world.store.transact([{ remove: { PK, SK } }, { put: { ...stored, PK, SK: other } }])

  expect(await damageIn(world)).toEqual([
    `${PK} ${other} holds no event of its dialog, so it is never correlated.`,
  ])
})
