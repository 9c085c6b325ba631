import { readFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import type { Method } from '#lib/api/method.ts'
import { keyIn } from '#lib/table/keys.ts'
import type { DumpedItem } from '#test/dump.ts'
import {
  accountsIn,
  estates,
  IDS_AFTER,
  passwordOf,
  SECRET_OF_A_DEVICE,
  usernameOf,
} from '#test/examples/estates.ts'
import { REGISTRATION } from '#test/examples/writing.ts'
import { aroundRequests } from '#test/faults/around-requests.ts'
import { isNight, methodsToTry } from '#test/sweep.ts'
import { aWorld, type World, withClient } from '#test/world.ts'
import { loadFunctionFiles } from '#tools/contracts/function-files.ts'
import { root } from '#tools/machine/program.ts'

const TARGETS = ['own', 'foreign', 'missing', 'ill-typed', 'itself']

/** The callers, and the owners of the targets. */
const CALLERS = {
  admin: { as: ['admin'], own: 10, foreign: 20, itself: 0 },
  accountant: { as: ['alice'], own: 10, foreign: 20, itself: 1 },
  reseller: { as: ['rick'], own: 20, foreign: 30, itself: 2 },
  partner: { as: ['pat'], own: 40, foreign: 20, itself: 4 },
  user: { as: ['bob'], own: 10, foreign: 20, itself: 10 },
  nobody: { as: [undefined, 'nobody', 'ben'], own: 10, foreign: 20, itself: 10 },
} as const

type CallerName = keyof typeof CALLERS

const OWNERS: Readonly<Record<number, number>> = { 20: 2, 30: 3, 40: 4 }

/** Accounts that own objects. */
const ownerOf = (account: number): number =>
  account === 2 || account === 4 ? account : (OWNERS[account] ?? 0)

/** The values of a parameter: an object of each account, a blank one and an unknown one. */
interface Naming {
  readonly of: (account: number) => string
  readonly missing: string
  readonly illTyped: readonly string[]
}

const ids = (first: number, whose = (account: number) => account): Naming => ({
  of: (account) => `${first + whose(account)}`,
  missing: `${first + 99}`,
  illTyped: ['ten', `${first + 10}x`, '10.0'],
})

const names = (of: (account: number) => string): Naming => ({
  of,
  missing: 'unheard-of',
  illTyped: ['<ten>', ' '],
})

/** Values that are the same for every caller. */
const ofAll = (own: string, missing: string): Naming => ({ of: () => own, missing, illTyped: ['ten', '1.0'] })

const account = ids(0)
const device = ids(IDS_AFTER.device)
const ofOwner = ids(IDS_AFTER.object, ownerOf)

const NAMINGS: Readonly<Record<string, Naming>> = {
  u: names((one) => usernameOf(one)),
  username: names((one) => usernameOf(one)),
  uniquehash: names((one) => `hash-of-${one}`),
  id: { of: (one) => `hash-of-${one}`, missing: 'unheard-of', illTyped: ['<ten>', '0'] },
  user_id: account,
  s_user: account,
  s_userid: account,
  s_user_id: account,
  device,
  device_id: device,
  s_device: device,
  device_u: names((one) => `phone-of-${one}`),
  'user_balance_get_by_username id': names((one) => `phone-of-${one}`),
  device_rule_id: ids(IDS_AFTER.object),
  tariff_id: ids(IDS_AFTER.tariff),
  location_id: ids(IDS_AFTER.location, ownerOf),
  location_rule_id: ofOwner,
  lcr_id: ofOwner,
  did_id: ofOwner,
  location_group_id: ofOwner,
  credit_note_id: ids(IDS_AFTER.document),
  s_provider: ofAll('1', '99'),
}

/** Currencies have no owner: `own` changes by hand, `foreign` automatically, `itself` is the default. */
const CURRENCIES: Readonly<Record<string, readonly string[]>> = {
  own: ['EUR'],
  foreign: ['GBP'],
  missing: ['XYZ'],
  'ill-typed': ['ten', '<1>', ' '],
  itself: ['USD'],
}

function valuesOf(parameter: string, target: string, caller: CallerName): readonly string[] {
  if (parameter === 'currency') return CURRENCIES[target] ?? []
  const naming = NAMINGS[parameter]
  if (!naming) throw new Error(`There is no naming for the parameter ${parameter}`)
  if (target === 'ill-typed') return naming.illTyped
  if (target === 'missing') return [naming.missing]
  return [naming.of(CALLERS[caller][target as 'own' | 'foreign' | 'itself'])]
}

/** The caller's own username and password, the only ones that succeed. */
const loginValuesOf = (target: string, caller: CallerName): readonly string[] =>
  target === 'own' ? CALLERS[caller].as.map((name) => name ?? '') : valuesOf('u', target, caller)

const own = (parameter: string, caller: CallerName): Record<string, string> => ({
  [parameter]: valuesOf(parameter, 'own', caller)[0] ?? '',
})

/** The other parameters of a valid call. */
const BESIDES: Readonly<Record<string, (caller: CallerName) => Record<string, string>>> = {
  user_login: (caller) => ({ p: passwordOf(CALLERS[caller].as.at(-1) ?? '') }),
  rate_get: () => ({ prefix: '370' }),
  payment_create: () => ({ p_currency: 'EUR', amount: '1' }),
  user_balance_get: (caller) => own('username', caller),
  user_register: () => REGISTRATION,
  exchange_rate_update: () => ({ rate: '2' }),
  user_details_update: () => ({ u33: 'changed' }),
  device_update: () => ({ comment: 'changed' }),
  device_rule_create: () => ({ name: 'new', cut: '1' }),
  location_rule_create: (caller) => ({ name: 'new', cut: '1', ...own('location_id', caller) }),
  location_rule_update: (caller) => ({ name: 'changed', ...own('location_rule_id', caller) }),
  location_rule_copy: (caller) => ({ ...own('location_rule_id', caller), ...own('location_id', caller) }),
}

/** The owners of the objects in an answer, or of the changed objects. */
type Whose = (body: string, changed: readonly string[]) => readonly (string | number)[]

const namedIn =
  (pattern: RegExp): Whose =>
  (body) =>
    [...body.matchAll(pattern)].map(([, whose = '']) => whose)

const summedIn =
  (pattern: RegExp): Whose =>
  (body) =>
    [...body.matchAll(pattern)].flatMap(([, sum]) => accountsIn(Number(sum)))

/** The ids in keys, relative to the first id of their kind. */
const changedIn =
  (pattern: RegExp): Whose =>
  (_body, changed) =>
    changed.flatMap((key) => [...key.matchAll(pattern)].map(([, id]) => Number(id) % 1000))

const WHOSE: Readonly<Record<string, Whose>> = {
  user_login: namedIn(/<user_id>(\d+)/g),
  users_get: namedIn(/<user><id>(\d+)/g),
  user_details_get: namedIn(/<userid>(\d+)/g),
  user_register: () => [],
  user_details_update: changedIn(/^USER#(\d+) /g),
  user_balance_get: namedIn(/<balance>(\d+)\./g),
  user_balance_get_by_username: namedIn(/^(\d+)\./g),
  user_simple_balance_get: namedIn(/^(\d+)\./g),
  payment_create: changedIn(/^USER#(\d+) PAYMENT#/g),
  device_create: changedIn(/^USER#(\d+) /g),
  device_update: changedIn(/^DEVICE#(\d+) /g),
  device_delete: changedIn(/^USER#(\d+) /g),
  device_rule_create: changedIn(/^DEVICE#(\d+) /g),
  device_rule_delete: changedIn(/^DEVICE#(\d+) /g),
  location_rule_create: changedIn(/^(?:LOCATION|DEVICE)#(\d+) /g),
  location_rule_update: changedIn(/^(?:LOCATION|DEVICE)#(\d+) /g),
  location_rule_delete: changedIn(/^LOCATION#(\d+) /g),
  location_rule_copy: changedIn(/^LOCATION#(\d+) /g),
  exchange_rate_update: (_body, changed) =>
    changed.flatMap((key) => [...key.matchAll(/^CURRENCY#(\w+) /g)].map(([, name = '']) => name)),
  subscriptions_get: namedIn(/<user_id>(\d+)/g),
  quickstats_get: summedIn(/<duration>(\d+)/g),
  financial_statements_get: summedIn(/<price>(\d+)/g),
}

const EVERYONE = '0 1 2 3 4 10 20 30 40'

const inOrder = (whose: readonly (string | number)[]): string =>
  [...new Set(whose.map(String))].sort((one, other) => Number(one) - Number(other)).join(' ')

/** A row of the table for one target. */
interface Case {
  readonly method: string
  readonly parameter: string
  readonly caller: CallerName
  readonly target: string
  readonly expected: string
}

/** A block begins with the methods, each with its parameter, and the targets. The other lines are callers. */
function casesOf(block: string): Case[] {
  const [titles = '', ...lines] = block.split('\n')
  return titles.split(', ').flatMap((title) => casesOfMethod(title, lines))
}

function casesOfMethod(title: string, [columns = '', ...rows]: readonly string[]): Case[] {
  const [method = '', parameter = ''] = title.split(' ')
  const targets = columns.trim().split(/\s+/)
  expect(TARGETS, title).toEqual(expect.arrayContaining(targets))
  const cells = new Map(rows.flatMap((row) => cellsByCaller(row, targets)))
  expect([...cells.keys()].sort(), title).toEqual(Object.keys(CALLERS).sort())
  return [...cells].flatMap(([caller, expected]) =>
    targets.map((target, column) => ({
      method,
      parameter,
      caller,
      target,
      expected: expectedFor(caller, expected[column] ?? expected[0] ?? ''),
    })),
  )
}

function cellsByCaller(row: string, targets: readonly string[]): [CallerName, string[]][] {
  const [callers = '', ...cells] = row.split('|').map((cell) => cell.trim())
  expect([1, targets.length], row).toContain(cells.length)
  return callers.split(' ').map((caller) => [caller as CallerName, cells])
}

/** A cell with the ids of the accounts that it names. */
function expectedFor(caller: CallerName, cell: string): string {
  if (!cell.startsWith('✓ ')) return cell
  const accounts: Readonly<Record<string, unknown>> = {
    ...CALLERS[caller],
    owner: ownerOf(CALLERS[caller].own),
    everyone: EVERYONE,
  }
  return cell.replace(/[a-z]+/g, (word) => String(accounts[word]))
}

const [, table = ''] = readFileSync(`${root}test/examples/authorisation.md`, 'utf8').split('```\n')
const cases = table.trimEnd().split('\n\n').flatMap(casesOf)
const methods = new Map((await loadFunctionFiles()).map(({ method }) => [method.name, method]))

let world: World
let before: ReadonlyMap<string, DumpedItem>

/** Whether a request has gone to the table that may have changed it. */
let hasWritten = false

const READS = /^(?:BatchGet|Get|Query|Scan)/

const nameOf = ({ PK, SK }: DumpedItem): string => `${PK} ${SK}`

const itemsOfTheTable = async (): Promise<ReadonlyMap<string, DumpedItem>> =>
  new Map((await world.dump()).map((item) => [nameOf(item), item]))

beforeAll(async () => {
  const unwatched = await aWorld(estates)
  const client = aroundRequests(unwatched.table.client, (command, send) => {
    hasWritten ||= !READS.test(command.constructor.name)
    return send()
  })
  world = withClient(unwatched, client)
  await world.set({
    Devices_Check_Rate: '1',
    Show_Active_Calls_for_Users: '1',
    Queue_Log_Enabled: '1',
    API_allow_Payments: '1',
    API_allow_Registration: '1',
    Devices_Check_Balance: '1',
    Balances_Without_Signature: '1',
    Balance_From: '2026-03-01',
    Default_User_Tariff: '3000',
  })
  before = await itemsOfTheTable()
})

/** The changes of a case to the table, which is then restored. */
async function undone(): Promise<string[]> {
  if (!hasWritten) return []
  const after = await itemsOfTheTable()
  const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
    (name) => !isDeepStrictEqual(before.get(name), after.get(name)),
  )
  const changes = changed.flatMap((name) => {
    const was = before.get(name)
    const is = after.get(name)
    return was ? { put: was } : (is && { remove: keyIn(is) }) || []
  })
  if (changes.length > 0) await world.store.transact(changes)
  hasWritten = false
  return changed
}

/** The counters of failed logins change by design. */
const isCounter = (name: string): boolean => name.startsWith('LOGINFAIL#')

/** The outcome of a call, in the words of the table. */
function outcomeOf(method: string, body: string, all: readonly string[]): string {
  const changed = all.filter((name) => !isCounter(name))
  const refusal =
    /<error>(.*?)<\/error>/.exec(body) ??
    /failed.*<status_message>(.*?)</.exec(body) ??
    /<status>(failed)</.exec(body) ??
    // The words of a plain answer.
    /^([A-Z][^<]*)$/.exec(body)
  const mayChange = !refusal && !method.endsWith('_get')
  const also = mayChange || changed.length === 0 ? '' : `, and changed ${changed.join(', ')}`
  const whose = WHOSE[method] ?? namedIn(/\bof-(\d+)/g)
  return `${refusal?.[1] ?? `✓ ${inOrder(whose(body, changed))}`.trim()}${also}`
}

const undoneMethods = (): string[] =>
  [...methods.keys()].filter((name) => !cases.some((one) => one.method === name))

test('every method has rows, and every row belongs to a method', () => {
  expect(undoneMethods()).toEqual([])
  expect(cases.filter(({ method }) => !methods.has(method))).toEqual([])
})

/** Calls as every caller of a row, with every value of its target. */
async function wrongIn(method: Method, { parameter, caller, target, expected }: Case) {
  const isLogin = parameter === 'u'
  const values = isLogin
    ? loginValuesOf(target, caller)
    : valuesOf(namingOf(method, parameter), target, caller)
  const calls = values.flatMap((value) =>
    (isLogin ? [undefined] : CALLERS[caller].as).map((as) => ({ value, as })),
  )
  const wrong: string[] = []
  for (const { value, as } of calls) {
    const params = { ...BESIDES[method.name]?.(caller), [parameter]: value }
    const body = await world.call(method, as, params)
    const outcome = outcomeOf(method.name, body, await undone())
    if (caller === 'accountant' && method.callers !== 'signed' && SECRET_OF_A_DEVICE.test(body))
      wrong.push(`an accountant reads ${SECRET_OF_A_DEVICE.exec(body)?.[0]}`)
    if (outcome !== expected) {
      wrong.push(
        `${as ?? caller} ${parameter}=${value} (${target}) gets "${outcome}" instead of "${expected}"`,
      )
    }
  }
  return { tried: calls.length, wrong }
}

/** A parameter may name something else in one method. */
const namingOf = ({ name }: Method, parameter: string): string =>
  `${name} ${parameter}` in NAMINGS ? `${name} ${parameter}` : parameter

let tried = 0

test.each(methodsToTry(methods.values()).map((method) => [method.name, method] as const))(
  '%s answers every caller as the table says',
  async (name, method) => {
    const wrong: string[] = []
    for (const one of cases.filter((each) => each.method === name)) {
      const found = await wrongIn(method, one)
      tried += found.tried
      wrong.push(...found.wrong)
    }

    expect(wrong).toEqual([])
  },
)

test('hundreds of calls were made, and at night more than 1,000', () => {
  process.stdout.write(`authorisation: ${cases.length} cells of the table, ${tried} calls\n`)
  expect(tried).toBeGreaterThan(isNight ? 1000 : 150)
})
