import { expect, test } from 'vitest'
import { accountKey } from '#lib/table/keys.ts'
import { people } from '#test/examples/examples.ts'
import { aroundRequests } from '#test/faults/around-requests.ts'
import { readingApart } from '#test/faults/as-in-aws.ts'
import { aWorld, withClient } from '#test/world.ts'

test('a client that reads apart asks for each item of a batch by a request of its own', async () => {
  const world = await aWorld({ users: people })
  let requests = 0
  const counting = aroundRequests(world.table.client, (_command, send) => {
    requests += 1
    return send()
  })

  const { store } = withClient(world, readingApart(counting))
  const found = await store.getMany([accountKey(10), accountKey(20)])

  expect(found).toMatchObject([{ username: 'bob' }, { username: 'carol' }])
  expect(requests).toBe(2)
})
