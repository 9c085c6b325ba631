import { expect, test } from 'vitest'
import { settingsKey } from '#lib/settings/stored-settings.ts'
import { absent } from '#lib/table/requests/changes.ts'
import { actingFor } from '#test/acts/endpoints.ts'
import { aWorld } from '#test/world.ts'
import { carryOut, defineAct } from './act.ts'

test('an act that lost a race reads the settings again', async () => {
  const world = await aWorld({}, { Balance_From: '2026-03-01' })
  const seen: string[] = []
  const act = defineAct({
    summary: 'Lose a race',
    callers: ['admin'],
    input: {},
    run: async ({ settings }) => {
      seen.push(settings.Balance_From)
      const isFirst = seen.length === 1
      if (isFirst) await world.set({ Balance_From: '2026-04-01' })
      const changes = isFirst ? [{ check: settingsKey, when: { PK: absent } }] : []
      return { answer: undefined, changes, log: undefined }
    },
  })
  await carryOut(act, await actingFor(world, 0), {})

  expect(seen).toEqual(['2026-03-01', '2026-04-01'])
})
