import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { suspenseKeys } from '#lib/store/calls/suspense.ts'
import { suspenseOf } from '#lib/testing/dump.ts'
import {
  anOperator,
  CALL,
  csv,
  FIRST,
  reasonsOf,
  send,
  stored,
  zoeAppears,
} from '#lib/testing/mediation/csv-switch.ts'
import { openMediation } from './mediation.ts'
import { retryEntries } from './retry.ts'

test('a suspended CDR leaves suspense when the same content is stored from another format', async () => {
  const world = await anOperator()
  const stranger = { account_code: 'zoe' }
  await send(world, csv([stranger]))
  expect(await reasonsOf(world)).toEqual(['unknown_account'])
  await zoeAppears(world)

  const json = JSON.stringify({ ...CALL, accountcode: 'zoe' })
  expect(await send(world, { format: 'asterisk-json', text: json })).toMatchObject({ stored: 1 })
  expect(await suspenseOf(world)).toEqual([])
})

test('a suspended CDR that comes again in another format is stored by a retry', async () => {
  const world = await anOperator()
  await send(world, csv([{ account_code: 'zoe' }]))
  const json = JSON.stringify({ ...CALL, accountcode: 'zoe' })
  expect(await send(world, { format: 'asterisk-json', text: json })).toMatchObject({ suspended: 1 })
  await zoeAppears(world)

  const retried = await retryEntries(await openMediation(world.store, world.now), await suspenseOf(world))
  expect(retried).toEqual({ stored: 1, suspended: 0 })
  expect(await stored(world)).toEqual([FIRST])
})

test('a suspended CDR that comes twice in one document is stored once and leaves suspense', async () => {
  const world = await anOperator()
  await send(world, csv([{ account_code: 'zoe' }]))
  await zoeAppears(world)

  expect(await send(world, csv([{ account_code: 'zoe' }, { account_code: 'zoe' }]))).toMatchObject({
    ...{ stored: 1, duplicate: 1 },
  })
  expect(await suspenseOf(world)).toEqual([])
})

test('a retry keeps an entry of suspense with an unknown format', async () => {
  const world = await anOperator()
  await send(world, csv([{ account_code: 'zoe' }]))
  const [entry] = await suspenseOf(world)
  await world.store.update(suspenseKeys.item(entry?.id ?? ''), { set: { format: 'of-tomorrow' } })

  const retried = await retryEntries(await openMediation(world.store, world.now), await suspenseOf(world))
  expect(retried).toEqual({ stored: 0, suspended: 1 })
  expect(await suspenseOf(world)).toMatchObject([{ format: 'of-tomorrow' }])
})

test('the next retry completes a removal that was interrupted between an entry and its parts', async () => {
  const world = await anOperator()
  const hash = (n: number) => createHash('sha256').update(String(n)).digest('hex')
  const userfield = Array.from({ length: 300 }, (_, n) => hash(n)).join('')
  await send(world, csv([{ account_code: 'zoe', userfield }], [...Object.keys(CALL), 'userfield']))
  await zoeAppears(world)
  const entries = await suspenseOf(world)
  expect(entries).toMatchObject([{ parts: { count: 1 } }])
  const { store } = world
  const dying = { ...store, removeBatch: () => Promise.reject(new Error('The process ended')) }

  const retried = retryEntries(await openMediation(dying, world.now), entries)
  await expect(retried).rejects.toThrow('The process ended')
  await retryEntries(await openMediation(store, world.now), await suspenseOf(world))
  expect((await world.dump()).filter(({ PK }) => PK.startsWith('SUSPENSE#'))).toEqual([])
  expect(await stored(world)).toEqual([FIRST])
})

test('a retry stores the last of several suspended versions of one call', async () => {
  for (const last of ['65', '66', '67', '68', '69', '70']) {
    const world = await anOperator()
    const said = { account_code: 'zoe' }
    await send(
      world,
      csv([
        { ...said, billsec: '61' },
        { ...said, billsec: '62' },
        { ...said, billsec: last },
      ]),
    )
    await zoeAppears(world)

    await retryEntries(await openMediation(world.store, world.now), await suspenseOf(world))
    expect(await stored(world)).toMatchObject([{ billsec: Number(last) }])
  }
})
