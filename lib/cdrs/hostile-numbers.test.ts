import { expect, test } from 'vitest'
import { searchedCalls } from '#test/dump.ts'
import { ASTERISK_CALL, anOperator, csv, dialogEvent, reasonsOf, send } from '#test/mediation/csv-switch.ts'

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

type Json = Readonly<Record<string, string>>

const dialog = (change: Json) => ({
  format: 'kamailio-json' as const,
  text: [dialogEvent('INVITE', '200', 0, change), dialogEvent('BYE', '200', 60, change)].join('\n'),
})

const asteriskCdrs = (...changes: readonly Json[]) => ({
  format: 'asterisk-json' as const,
  text: changes.map((change) => JSON.stringify({ ...ASTERISK_CALL, ...change })).join('\n'),
})

/** A caller may try these, so that a call of a minute costs less than its price (docs/reports.md). */
test.each([
  ['parameters after the number', dialog({ dst_user: '12025550171;phone-context=x' })],
  ['escaped digits', dialog({ dst_user: '%31202555017%31' })],
  [
    'an escaped sign after the number, to a carrier',
    dialog({ dst_user: '12025550171%23', provider: 'Potomac' }),
  ],
  ['a sign after the number, to a carrier', dialog({ dst_user: '12025550171#', provider: 'Potomac' })],
  ['letters after the number, to a carrier', dialog({ dst_user: '12025550171x', provider: 'Potomac' })],
  ['another name in From', dialog({ src_user: 'admin', dst_user: '12025550171' })],
  ['the number of an extension in To', dialog({ dst_user: '12025550171', dst_ouser: '2010' })],
  ['separators', asteriskCdrs({ dst: '1-(202) 555.0171' })],
  ['a code before the number', asteriskCdrs({ dst: '*3112025550171' })],
  ['a code after the number', asteriskCdrs({ dst: '12025550171*' })],
  ['a caller id with a quote', asteriskCdrs({ src: '"\n,1001' })],
  ['a group as what was dialled', asteriskCdrs({ dst: '3001' })],
])('a caller does not make a call free with %s', async (_trick, document) => {
  const world = await anOperator()
  await send(world, document)

  expect(await searchedCalls(world)).toMatchObject([{ billsec: 60, user_price: '0.03', user_id: 10 }])
  expect(await reasonsOf(world)).toEqual([])
})

test.each([
  ['digits of another script', dialog({ dst_user: '１２０２５５５０１７１' })],
  ['a blank number', dialog({ dst_user: ' ' })],
  ['an account code that is not an account', asteriskCdrs({ accountcode: 'nobody', channel: 'PJSIP/x-1' })],
  ['no seconds', asteriskCdrs({ billsec: '', duration: '' })],
  ['an end of its call in the future', asteriskCdrs({ start: '2026-03-12 10:00:00' })],
])('a caller has a call suspended, not free, with %s', async (_trick, document) => {
  const world = await anOperator()
  await send(world, document)

  expect(await searchedCalls(world)).toEqual([])
  expect((await reasonsOf(world)).length).toBeGreaterThan(0)
})
