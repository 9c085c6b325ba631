import { expect, test } from 'vitest'
import type { AccountType } from '#lib/base/account-types.ts'
import {
  applyToRule,
  hasRuleEffect,
  locationRuleFields,
  mayUseLocation,
  namesForeignTarget,
  overlapOrMissingTarget,
  type SentRule,
  TARGET_ERRORS,
  TARGETS,
} from './location-rule.ts'

const account = (id: number, usertype: AccountType, owner_id: number) => ({ id, usertype, owner_id })

const admin = account(0, 'admin', 0)
const accountant = account(1, 'accountant', 0)
const reseller = account(2, 'reseller', 0)
const customer = account(20, 'user', 2)

test('a location is used by its owner, and by admins and accountants', () => {
  const own = [admin, accountant, reseller, customer].filter((caller) =>
    mayUseLocation(caller, { owner_id: 2 }),
  )

  expect(own).toEqual([admin, accountant, reseller])
  expect(mayUseLocation(reseller, { owner_id: 4 })).toBe(false)
})

const RULE = {
  name: 'Rule',
  cut: '00',
  add: '',
  minlen: 5,
  maxlen: 10,
  lcr_id: undefined,
  tariff_id: 3,
  did_id: undefined,
  device_id: undefined,
  src_cut: '',
  src_add: '',
  src_minlen: 1,
  src_maxlen: 99,
}

test('a change sets the sent fields and keeps the others', () => {
  expect(
    applyToRule(RULE, {
      name: ' New ',
      add: ' 9*# ',
      maxlen: '12',
      lr_type: 'src',
      tariff_id: null,
      lcr_id: 8,
    }),
  ).toEqual({
    rule: { ...RULE, name: 'New', add: '9*#', maxlen: 12, lr_type: 'src', tariff_id: undefined, lcr_id: 8 },
  })
  expect(applyToRule(RULE, {})).toEqual({ rule: RULE })
})

test('a blank field has the value of a new rule', () => {
  const blank = {
    minlen: '',
    maxlen: '',
    src_minlen: '',
    src_maxlen: '',
    lr_type: '',
    change_callerid_name: ' ',
  }

  expect(applyToRule(RULE, blank)).toEqual({
    rule: {
      ...RULE,
      minlen: 1,
      maxlen: 99,
      src_minlen: 1,
      src_maxlen: 99,
      lr_type: 'dst',
      change_callerid_name: false,
    },
  })
  expect(applyToRule(RULE, { change_callerid_name: '1' })).toMatchObject({
    rule: { change_callerid_name: true },
  })
})

test.each<[string, SentRule, string]>([
  ['a blank name', { name: ' ' }, 'no_name'],
  ['a letter', { cut: '1a' }, 'cut'],
  ['101 digits', { add: '1'.repeat(101) }, 'add'],
  ['a letter before digits', { src_cut: 'a1' }, 'src_cut'],
  ['a plus', { src_add: '+1' }, 'src_add'],
  ['length 0', { minlen: '0' }, 'minlen'],
  ['length 100', { maxlen: '100' }, 'maxlen'],
  ['a length of four digits', { src_minlen: '0001' }, 'src_minlen'],
  ['a length that is not a number', { src_maxlen: 'x' }, 'src_maxlen'],
  ['an unknown type', { lr_type: 'both' }, 'lr_type'],
  ['a flag that is neither 1 nor 0', { change_callerid_name: 'yes' }, 'change_callerid_name'],
  ['a shortest length above the stored longest', { minlen: '11' }, 'minlen'],
  ['a longest length below the stored shortest', { maxlen: '4' }, 'maxlen'],
  ['crossed lengths', { minlen: '8', maxlen: '7' }, 'maxlen'],
  ['a longest source length below the shortest', { src_minlen: '8', src_maxlen: '7' }, 'src_maxlen'],
  ['no effect', { cut: '', tariff_id: null }, 'no_effect'],
])('a change is refused: %s', (_case, sent, refused) => {
  expect(applyToRule(RULE, sent)).toEqual({ refused })
})

test('a shortest source length above the stored longest is refused', () => {
  expect(applyToRule({ ...RULE, src_maxlen: 9 }, { src_minlen: '10' })).toEqual({ refused: 'src_minlen' })
})

test('lengths may be equal, and a field may have 100 digits', () => {
  expect(
    applyToRule(RULE, { minlen: '99', maxlen: '99', src_minlen: '1', src_maxlen: '1', cut: '1'.repeat(100) }),
  ).toHaveProperty('rule')
})

test('the fields are refused in the documented order', () => {
  expect(Object.keys(locationRuleFields.errors())).toEqual([
    'cut',
    'add',
    'minlen',
    'maxlen',
    'lr_type',
    'change_callerid_name',
    'src_cut',
    'src_add',
    'src_minlen',
    'src_maxlen',
  ])
})

const NO_EFFECT = { ...RULE, cut: '', tariff_id: undefined }

test('a rule has an effect if it rewrites a number or uses a target', () => {
  expect(hasRuleEffect(NO_EFFECT)).toBe(false)
  for (const column of ['cut', 'add', 'src_cut', 'src_add']) {
    expect(hasRuleEffect({ ...NO_EFFECT, [column]: '1' })).toBe(true)
  }
  for (const column of ['lcr_id', 'tariff_id', 'did_id', 'device_id']) {
    expect(hasRuleEffect({ ...NO_EFFECT, [column]: 1 })).toBe(true)
  }
  expect(hasRuleEffect({ ...NO_EFFECT, location_group_id: 1 } as typeof NO_EFFECT)).toBe(false)
})

test('a change can assign each target', () => {
  const ids = { lcr_id: 1, tariff_id: 2, did_id: 3, device_id: 4, location_group_id: 5 }

  expect(applyToRule(RULE, ids)).toEqual({ rule: { ...RULE, ...ids } })
  expect(Object.keys(ids)).toEqual([...TARGETS])
})

test('a missing target is refused by its name, in the documented order, and an overlap before it', () => {
  const owner = { owner_id: 2 }

  expect(overlapOrMissingTarget(true, [['lcr_id', owner]])).toBeUndefined()
  expect(
    overlapOrMissingTarget(true, [
      ['lcr_id', owner],
      ['did_id', undefined],
      ['device_id', undefined],
    ]),
  ).toBe('did_id')
  expect(overlapOrMissingTarget(false, [['did_id', undefined]])).toBe('not_unique')
  expect(TARGET_ERRORS).toEqual({
    lcr_id: 'LCR was not found',
    tariff_id: 'Tariff was not found',
    did_id: 'DID was not found',
    device_id: 'Device was not found',
    location_group_id: 'Location Group was not found',
  })
})

test.each([
  ["a reseller's own tariff", reseller, { owner_id: 2 }, false],
  ["somebody else's tariff", reseller, { owner_id: 0 }, true],
  ['no such tariff', reseller, undefined, true],
  ["its customer's device", reseller, customer, false],
  ['its own device', reseller, reseller, false],
  ["another customer's device", reseller, account(30, 'user', 0), true],
  ["anybody's, for an admin", admin, { owner_id: 2 }, false],
  ['no such object, for an admin', admin, undefined, false],
])('a foreign target: %s', (_case, caller, owner, isForeign) => {
  expect(namesForeignTarget(caller, [['tariff_id', owner]])).toBe(isForeign)
  expect(
    namesForeignTarget(caller, [
      ['lcr_id', { owner_id: 2 }],
      ['tariff_id', owner],
    ]),
  ).toBe(isForeign)
  expect(namesForeignTarget(caller, [])).toBe(false)
})
