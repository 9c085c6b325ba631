import { expect, test } from 'vitest'
import { elementTexts } from '#test/answers/printed.ts'
import { aRoutingWorld } from '#test/examples/routing.ts'
import { method } from './location_rules_get.ts'

const idsIn = (body: string): number[] => elementTexts(body, 'id').map(Number)

test('the rules of a location follow its name, ordered by name, then id', async () => {
  const world = await aRoutingWorld()
  await world.given({
    location_rules: ['9', '10', '8'].map((id) => ({ id, location_id: '1', name: 'Same', add: id })),
  })

  const body = await world.call(method, 'admin', { location_id: 1 })

  expect(body).toContain('<page><status><location><name>Location of 0</name><location_rule><id>101</id>')
  expect(body).toMatch(/<\/location_rule><\/location><\/status><\/page>$/)
  expect(idsIn(body)).toEqual([101, 8, 9, 10, 100])
})

test('a location without rules is still named', async () => {
  const world = await aRoutingWorld()

  expect(await world.call(method, 'rick', { location_id: 5 })).toContain(
    '<page><status><location><name>Second &lt;one&gt;</name><error>No Location rules</error></location></status></page>',
  )
})

const DYNAMODB_PAGE_BYTES = 1_048_576

test('rules that exceed one page of the table are all listed', async () => {
  const world = await aRoutingWorld()
  const count = 300
  await world.given({
    location_rules: Array.from({ length: count }, (_, index) => ({
      id: String(1000 + index),
      location_id: '5',
      name: `Rule ${index} `.padEnd(3900, 'x'),
      cut: String(index),
    })),
  })

  const answer = await world.call(method, 'rick', { location_id: 5 })

  expect(answer.length).toBeGreaterThan(DYNAMODB_PAGE_BYTES)
  expect(new Set(idsIn(answer)).size).toBe(count)
})

test.each([
  ['admin', 4],
  ['alice', 2],
  ['rick', 2],
  ['pat', 4],
])('%s lists location %i', async (caller, location_id) => {
  const world = await aRoutingWorld()

  expect(await world.call(method, caller, { location_id })).toContain('<location_rule>')
})

test.each([
  ['nobody in particular', undefined, { location_id: 1 }, 'Access Denied'],
  ['a blocked account', 'ben', { location_id: 1 }, 'Access Denied'],
  ['a plain user', 'bob', { location_id: 1 }, 'You are not authorized to use this functionality'],
  ['no location', 'admin', {}, 'Location was not found'],
  ['an unknown location', 'alice', { location_id: 99 }, 'Location was not found'],
  ['an id that is not a number', 'admin', { location_id: 'x' }, 'Location was not found'],
  ["admin's location, by a reseller", 'rick', { location_id: 1 }, 'Location was not found'],
  ["a reseller's location, by a partner", 'pat', { location_id: 2 }, 'Location was not found'],
])('refuses %s', async (_case, caller, params, message) => {
  const world = await aRoutingWorld()

  expect(await world.call(method, caller, params)).toContain(
    `<page><status><status><error>${message}</error></status></status></page>`,
  )
})

test('a location costs four read units', async () => {
  const world = await aRoutingWorld()

  await world.call(method, 'admin', { location_id: 1 })

  expect(world.log).toMatchObject([{ outcome: 'answered', read_units: 4 }])
})
