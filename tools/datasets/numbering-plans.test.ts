import { expect, test } from 'vitest'
import { closedPlanLengths } from '#lib/rates/numbers/rated-number.ts'
import { findNumberingPlan, nationalLengthOf } from './numbering-plans.ts'

const settingsOf = async (code: string) => {
  const plan = await findNumberingPlan(code)
  if (!plan) return undefined
  const { nationalPrefix, internationalPrefix, emergencyNumbers } = plan
  return [nationalPrefix, internationalPrefix, nationalLengthOf(plan, code), emergencyNumbers]
}

test.each([
  ['34', ['', '00', '9', '061,062,080,085,088,091,092,112']],
  ['45', ['', '00', '8', '112,114']],
  ['351', ['', '00', '9', '112,115,117']],
  ['30', ['', '00', '10', '100,108,112,166,199,1591']],
  ['48', ['', '00', '7,9', '112,984,985,986,987,991,992,993,994,995,996,997,998,999']],
  ['1', ['1', '011', '10', '112,911']],
  ['44', ['0', '00', '', '112,999']],
  ['49', ['0', '00', '', '110,112']],
  ['39', ['', '00', '', '112,113,115,117,118,1515,1530']],
  ['27', ['0', '00', '', '107,112,10111,10177']],
  ['61', ['0', '0011', '', '000,106,112']],
  ['7', ['8', '810', '', '01,02,03,04,101,102,103,104,112']],
])('numbers of the country code %s are dialled as %j', async (code, settings) => {
  expect(await settingsOf(code)).toEqual(settings)
})

test('the closed plans that mediation knows are those of init', async () => {
  for (let code = 1; code <= 999; code += 1) {
    const plan = await findNumberingPlan(String(code))
    expect([code, closedPlanLengths(String(code))]).toEqual([
      code,
      plan ? nationalLengthOf(plan, String(code)) : '',
    ])
  }
})

test('an unknown country code has no plan', async () => {
  expect(await findNumberingPlan('999')).toBeUndefined()
  expect(await findNumberingPlan('constructor')).toBeUndefined()
})
