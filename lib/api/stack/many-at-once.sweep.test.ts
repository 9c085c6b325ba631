import { expect, test } from 'vitest'
import type { Method } from '#lib/api/method.ts'
import { elementTexts } from '#test/answers/printed.ts'
import { aContext, anEvent } from '#test/event.ts'
import { exampleDevices, people } from '#test/examples/examples.ts'
import { asInAws } from '#test/faults/as-in-aws.ts'
import { damageIn } from '#test/soundness.ts'
import { aWorld, bodyOf, signedForm, type World } from '#test/world.ts'
import { method as deviceRuleCreate } from '../../../functions/device-rules/device_rule_create.ts'
import { method as deviceCreate } from '../../../functions/devices/device_create.ts'
import { method as deviceUpdate } from '../../../functions/devices/device_update.ts'
import { method as devicesGet } from '../../../functions/devices/devices_get.ts'
import { serve } from './stack.ts'

const AT_ONCE = 100

/** All answers, and the number of transactions for each request. */
async function sendAtOnce(
  world: World,
  method: Method,
  params: (n: number) => Readonly<Record<string, string | number>>,
) {
  const { count, openStore } = asInAws(world.table)
  const handler = serve(method, { ...world.services, openStore })
  const requests = Array.from({ length: AT_ONCE }, async (_, n) => {
    const body = signedForm(method, { u: 'admin', ...params(n) })
    return bodyOf(await handler(anEvent({ body }), aContext(280_000)))
  })
  const answers = await Promise.all(requests)
  return { answers, transactionsEach: count.transactions / AT_ONCE }
}

const textsOfAll = (documents: readonly string[], tag: string): string[] =>
  documents.flatMap((document) => elementTexts(document, tag))

const MOST_TRANSACTIONS = 3

test('a hundred devices created at the same time for one customer are all stored', async () => {
  const world = await aWorld({ users: people })

  const { answers, transactionsEach } = await sendAtOnce(world, deviceCreate, () => ({ user_id: 10 }))

  expect(textsOfAll(answers, 'status')).toEqual(Array(AT_ONCE).fill('device_created'))
  expect(transactionsEach).toBeLessThan(MOST_TRANSACTIONS)
  expect(new Set(textsOfAll(answers, 'id')).size).toBe(AT_ONCE)
  expect(new Set(textsOfAll(answers, 'username')).size).toBe(AT_ONCE)
  const listed = await world.call(devicesGet, 'admin', { user_id: 10 })
  expect(elementTexts(listed, 'device_id')).toHaveLength(AT_ONCE)
  expect(elementTexts(listed, 'primary_device').filter((word) => word === 'yes')).toHaveLength(1)
  expect(await damageIn(world)).toEqual([])
})

test('a hundred changes of one device at the same time are all stored', async () => {
  const world = await aWorld({ users: people, devices: exampleDevices })

  const { answers, transactionsEach } = await sendAtOnce(world, deviceUpdate, (n) => ({
    device: 100,
    comment: n,
  }))

  expect(textsOfAll(answers, 'success')).toHaveLength(AT_ONCE)
  expect(transactionsEach).toBeLessThan(MOST_TRANSACTIONS)
})

test('of a hundred rules for one device at the same time, eighty are stored', async () => {
  const world = await aWorld({ users: people, devices: exampleDevices })

  const { answers, transactionsEach } = await sendAtOnce(world, deviceRuleCreate, (n) => ({
    device_id: 100,
    name: `rule ${n}`,
    add: n,
  }))

  expect(answers.filter((answer) => answer.includes('Rule added'))).toHaveLength(80)
  expect(answers.filter((answer) => answer.includes('Rule limit is reached'))).toHaveLength(20)
  expect(transactionsEach).toBeLessThan(MOST_TRANSACTIONS)
})
