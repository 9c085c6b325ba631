import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { findForEach, QUERIES_AT_ONCE } from './query.ts'

test('answers are in the order of the items, and no more queries than the limit are under way', async () => {
  const items = Array.from({ length: 3 * QUERIES_AT_ONCE }, (_, index) => index)
  let underWay = 0
  let most = 0
  const answers = await findForEach(items, async (item) => {
    underWay += 1
    most = Math.max(most, underWay)
    await setImmediate()
    underWay -= 1
    return `answer ${item}`
  })

  expect(answers).toEqual(items.map((item) => `answer ${item}`))
  expect(most).toBe(QUERIES_AT_ONCE)
})
