import { beforeAll, expect, test } from 'vitest'
import { addKey } from '#lib/acts/accounts/key-acts.ts'
import { serve } from '#lib/api/stack/stack.ts'
import { secretOf } from '#test/acts/carry-out.ts'
import { noted } from '#test/evidence/log-evidence.ts'
import { everything } from '#test/examples/everything.ts'
import { aWorld, bodyOf, type World } from '#test/world.ts'
import { loadFunctionFiles } from '#tools/contracts/function-files.ts'
import { exampleOf } from '#tools/contracts/generated-files.ts'
import { exampleEvent, signedParameters } from '#tools/contracts/signed-call.ts'
import { v2Headers } from '#tools/contracts/signed-v2.ts'
import { aContext } from './event.ts'

const methods = (await loadFunctionFiles()).map(({ method }) => method)
/** Methods without a caller have no account whose keys could sign. */
const signed = methods.filter(({ callers }) => typeof callers !== 'string')

let world: World

/** The secrets of a key for each method, and of a key for all the others. */
const secrets = new Map<string, string>()

const addTo = async (as: string, name: string, names: readonly string[]) => {
  const wanted = { name, as, methods: names.join(','), from: '' }
  secrets.set(name, noted({ secret: await secretOf(world, addKey, wanted) }).secret)
}

/** An account has room for few keys, so that each method has accounts of its own. */
const admins = signed.flatMap(({ name }, index) =>
  ['only', 'others'].map((which, second) => ({
    id: String(5000 + 2 * index + second),
    username: `${which}-${name}`,
    password_hash: '0'.repeat(40),
    usertype: 'admin',
    owner_id: '0',
  })),
)

beforeAll(async () => {
  world = await aWorld({ ...everything, users: [...everything.users, ...admins] })
  for (const { name } of signed) {
    await addTo(`only-${name}`, `only-${name}`, [name])
    await addTo(
      `others-${name}`,
      `others-${name}`,
      signed.flatMap((one) => (one.name === name ? [] : [one.name])),
    )
  }
})

const send = async (method: (typeof methods)[number], which: 'only' | 'others', isV2: boolean) => {
  const u = `${which}-${method.name}`
  const secret = secrets.get(u) ?? ''
  const params = { ...exampleOf(method.name), u }
  const sent = isV2 ? params : signedParameters(method, params, secret)
  const event = exampleEvent(method, noted(sent))
  const url = `http://localhost${event.path}`
  const headers = isV2
    ? v2Headers(
        { url, verb: 'POST', body: event.body ?? '', headers: { ...event.headers } },
        secret,
        world.now,
      )
    : {}
  const answer = await serve(method, world.services)(
    { ...event, headers: { ...event.headers, ...headers } },
    { ...aContext(), awsRequestId: `${u}-${isV2}` },
  )
  return bodyOf(answer)
}

const REFUSED = '<error>Incorrect hash</error>'

test.each(signed.map((method) => [method.name, method] as const))(
  '%s takes a key for it, and refuses a key for all other methods',
  async (_name, method) => {
    for (const isV2 of [false, true]) {
      const allowed = await send(method, 'only', isV2)
      const foreign = await send(method, 'others', isV2)

      expect([isV2, allowed.includes(REFUSED), foreign.includes(REFUSED)]).toEqual([isV2, false, true])
      expect(world.log.at(-1)).toMatchObject({ key: `others-${method.name}`, key_refused: 'method' })
    }
  },
)
