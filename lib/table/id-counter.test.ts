import { expect, test } from 'vitest'
import { aWorld } from '#test/world.ts'
import { nextId } from './id-counter.ts'

test('ids go up by one', async () => {
  const { store } = await aWorld()

  expect([await nextId(store, 'device'), await nextId(store, 'device')]).toEqual([1, 2])
})

test.each([[{}], [{ last: Number.NaN }], [{ last: '7' }]])(
  'a counter that answers %j gives out no id',
  async (answer) => {
    const { store } = await aWorld()
    const answering = { ...store, count: async () => answer }

    await expect(nextId(answering, 'device')).rejects.toThrow('Invalid')
  },
)
