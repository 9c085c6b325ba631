import { expect, test } from 'vitest'
import { signatureOf } from '#lib/api/signature.ts'
import { readSettings } from '#lib/domain/settings.ts'
import { passThrough } from '#lib/testing/middleware.ts'
import { verifyHash } from './verify-hash.ts'

const API_Secret_Key = 'a-key-of-tests'
const order = { signs: ['name'] } as const
const callers = { allowed: ['user'], anonymous: 'Who are you' } as const

const send = (
  hash: string | undefined,
  {
    settings = {},
    isPublic = false,
  }: { settings?: Readonly<Record<string, string>>; isPublic?: boolean } = {},
) =>
  passThrough(verifyHash({ callers: isPublic ? 'public' : callers, hashOrders: [order] }), {
    findings: {
      raw: { name: 'x', ...(hash !== undefined && { hash }) },
      settings: readSettings({ API_Secret_Key, ...settings }),
    },
  })

const right = signatureOf({ name: 'x' }, order, API_Secret_Key)

test.each([right, right.toUpperCase(), ` ${right} `])('the right hash passes: %j', async (hash) => {
  expect((await send(hash)).ran).toBe(true)
})

test.each([undefined, '', 'wrong', right.slice(1), `${right}0`])('refuses: %j', async (hash) => {
  await expect(send(hash)).rejects.toThrow('Incorrect hash')
})

test.each(['', 'short'])('a key such as %j signs nothing', async (key) => {
  await expect(send(right, { settings: { API_Secret_Key: key } })).rejects.toThrow('API must have Secret Key')
})

test('nothing is asked for while hash checking is off, or of a public method', async () => {
  const settings = { API_Disable_hash_checking: 'on', API_Secret_Key: '' }

  expect((await send('wrong', { settings })).ran).toBe(true)
  expect((await send(undefined, { isPublic: true })).ran).toBe(true)
})
