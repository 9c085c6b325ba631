import type { Operation, Resource } from '#lib/api/console/resource.ts'
import type { Method } from '#lib/api/method.ts'
import { loadResourceFiles } from '#tools/contracts/console-config.ts'
import { loadFunctionFiles } from '#tools/contracts/function-files.ts'
import { type Acts, answerTextOf, askConsole, callMethod, isUnclear, nameOf } from '../actors.ts'
import { ACCOUNTS, BOB, CAROL, DAVE, MALLORY, MIA, PAUL, RICK, TRUDY } from '../dataset.ts'
import type { Draws } from '../random.ts'

// Everybody reads what there is, of themselves and of others. Nobody may see what is not his.

const READING = (await loadFunctionFiles())
  .map(({ method }) => method)
  .filter(({ name }) => /_get($|_by_)/.test(name))

const SHOWING = (await loadResourceFiles()).flatMap(({ resource }) =>
  resource.operations
    .filter(({ verb }) => verb === 'GET')
    .map((one): [Resource, Operation] => [resource, one]),
)

/** Whose numbers and addresses an account may read. Customers may write to their seller. */
const OWN: Readonly<Record<string, readonly number[]>> = {
  bob: [BOB],
  carol: [CAROL, RICK],
  trudy: [TRUDY, MALLORY],
  rick: [RICK, CAROL, DAVE],
  mallory: [MALLORY, TRUDY, MIA],
}

const READERS = Object.keys(OWN)

const SELLERS: readonly string[] = ['rick', 'mallory']

const OTHERS = [BOB, PAUL, CAROL, DAVE, TRUDY]

const idOf = (username: string): number => Number(ACCOUNTS.find((one) => one['username'] === username)?.id)

/** The numbers of callers and the addresses of others in an answer to an account. */
const foreignIn = (text: string, u: string): string[] => {
  const own = OWN[u] ?? []
  const numbers = [...text.matchAll(/\b9(\d\d)1\d{5}\b/g)].map(
    ([number, id]) => [number, Number(id)] as const,
  )
  const addresses = [...text.matchAll(/\b(\w+)@customer\.example/g)].map(
    ([address, name = '']) => [address, idOf(name)] as const,
  )
  return [...numbers, ...addresses].flatMap(([word, id]) => (own.includes(id) ? [] : word))
}

/** Values of the parameters by which methods and the console select what they show. */
function selecting(
  { one, below }: Draws,
  u: string,
  whose: number,
  now: number,
): Readonly<Record<string, string>> {
  const [id, from, till] = [String(whose), '1', '1900000000']
  const month = new Date(now - below(60) * 86_400_000).toISOString().slice(0, 7)
  return {
    ...{ user_id: id, s_user: id, s_user_id: id, s_userid: id, username: nameOf(whose), customer: id },
    ...{
      period_start: from,
      period_end: till,
      s_from: from,
      s_till: till,
      from,
      till,
      u: whose === BOB ? id : u,
    },
    ...{ device: one(['901', '902']), device_id: one(['901', '902']), location_id: one(['1', '2']) },
    ...{ location_rule_id: one(['101', '102']), tariff_id: one(['1', '2', '4']), currency: 'EUR' },
    ...{ prefix: '4477', src: `9301000${below(99)}`, number: '447700900123', called: '447700900123' },
    ...{ kind: one(['accounts', 'devices', 'tariffs', 'subscriptions', 'invoice']), month, text: 'o' },
    ...{ id: one([id, nameOf(whose), `hash-of-${id}`]), uniquehash: `hash-of-${idOf(u)}` },
  }
}

const only = (
  values: Readonly<Record<string, string>>,
  names: readonly string[],
): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(values).filter(([name]) => names.includes(name)))

/** Any method that reads, and at times one that lists calls. */
export const asksMethods: Acts = (scene) => {
  const { draws, outside, object } = scene
  const u = draws.one([...READERS, 'admin', 'admin', 'admin', 'alice'])
  const whose = draws.one(OTHERS)
  const method = draws.one(draws.onceIn(3) ? READING.filter(isOfCalls) : READING)
  const wanted = only(selecting(draws, u, whose, outside.now), Object.keys(method.params))
  const { s_user: _, ...ofAll } = wanted
  const params = draws.onceIn(3) ? ofAll : wanted
  return {
    who: u,
    what: `asks ${method.name} about ${whose}`,
    work: () => callMethod(scene, method, { u, ...params }),
    ended: (ending) => {
      const text = answerTextOf(ending)
      const isStranger = 's_user' in params && SELLERS.includes(u) && !OWN[u]?.includes(whose)
      if (isOfCalls(method) && isStranger && !isUnclear(text) && !text?.includes('User was not found'))
        object(`tenants: ${u} is not refused the calls of ${whose}: ${text}`)
      // Balances are public, by the names of their accounts.
      const isOpen = method.callers === 'public' || !(u in OWN)
      const foreign = isOpen ? [] : foreignIn(text ?? '', u)
      if (foreign.length > 0) object(`tenants: ${u} reads ${foreign.join(', ')} in ${method.name}`)
    },
  }
}

const isOfCalls = ({ name }: Method): boolean => name === 'user_calls_get'

/** Any page of the console. */
export const looksAtPages: Acts = (scene) => {
  const { draws, outside, object } = scene
  const u = draws.one([...READERS, 'admin', 'admin', 'alice'])
  const [resource, operation] = draws.one(SHOWING)
  const { path, params } = operation
  const values = only(selecting(draws, u, draws.one(OTHERS), outside.now), Object.keys(params))
  return {
    who: u,
    what: `looks at ${path} ${Object.values(values).join(' ')}`,
    work: () => askConsole(scene, resource, operation, u, values),
    ended: (ending) => {
      const foreign = u in OWN ? foreignIn(answerTextOf(ending) ?? '', u) : []
      if (foreign.length > 0) object(`tenants: ${u} reads ${foreign.join(', ')} at ${path}`)
    },
  }
}
