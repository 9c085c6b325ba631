import { expect, test } from 'vitest'
import { searchedCalls } from '#test/dump.ts'
import { anOperator, csv, reasonsOf, send } from '#test/mediation/csv-switch.ts'

test.each([
  ['a caller id of 81 characters', { src: 'x'.repeat(81) }],
  ['a number of 81 characters', { dst: `12025550171${'0'.repeat(70)}` }],
  ['a number behind 80 blanks', { dst: `${' '.repeat(80)}12025550171` }],
])('%s is billed, and its correction too', async (_case, change) => {
  const world = await anOperator()
  await send(world, csv([change]))
  await send(world, csv([{ ...change, billsec: '70' }]))

  expect(await searchedCalls(world)).toMatchObject([{ billsec: 70, user_price: '0.035' }])
  expect(await reasonsOf(world)).toEqual([])
})

test.each(['a call 7', 'é1', 'x'.repeat(151)])(
  'the unique id %j is an id, whatever its characters',
  async (uniqueid) => {
    const world = await anOperator()
    await send(world, csv([{ uniqueid }]))
    const report = await send(world, csv([{ uniqueid, billsec: '70' }, { uniqueid: `${uniqueid}0` }]))

    expect(report).toMatchObject({ stored: 1, corrected: 1 })
    expect((await searchedCalls(world)).map(({ billsec }) => billsec).sort()).toEqual([60, 70])
  },
)
