import { expect, test } from 'vitest'
import { findFunctionFile } from '#lib/local/contracts/function-files.ts'
import { people } from '#lib/testing/examples.ts'
import { aWorld, SECRET_KEY, signedForm } from '#lib/testing/world.ts'

const { method } = await findFunctionFile('rate_get')

/** As a client signs that takes the parameters in the order of its request. */
const IN_THE_WRONG_ORDER = { hashOrders: [{ signs: ['username', 'prefix'] }] }
const PARAMETERS = { u: 'bob', username: 'bobby tables', prefix: '370612' }

test('while Explain_Hashes is on, the line of a refused call says what its hash was made of, without key and values', async () => {
  const world = await aWorld({ users: people })
  await world.set({ Devices_Check_Rate: '1' })
  const body = signedForm(IN_THE_WRONG_ORDER, PARAMETERS)

  const before = await world.send(method, { body })
  await world.set({ Explain_Hashes: '1' })
  const explained = await world.send(method, { body })
  await world.send(method, { body: signedForm(method, PARAMETERS) })

  const [off, on, accepted] = world.log
  expect(off).toMatchObject({ refusal: 'Incorrect hash', hash_made_of: undefined })
  expect(on).toMatchObject({ refusal: 'Incorrect hash', hash_made_of: 'username+prefix+key' })
  expect(accepted?.['hash_made_of']).toBeUndefined()
  expect(explained.body).toBe(before.body)
  for (const secret of [SECRET_KEY, PARAMETERS.username, PARAMETERS.prefix]) {
    expect(JSON.stringify(on)).not.toContain(secret)
  }
})
