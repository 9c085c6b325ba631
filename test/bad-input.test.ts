import fc from 'fast-check'
import { SaxesParser } from 'saxes'
import { beforeAll, expect, test } from 'vitest'
import type { Method } from '#lib/api/method.ts'
import { envelopes } from '#lib/xml/envelopes.ts'
import { render } from '#lib/xml/render.ts'
import type { Request } from '#test/event.ts'
import { exampleDevices, people } from '#test/examples/examples.ts'
import { aRoutingWorld } from '#test/examples/routing.ts'
import { methodsToTry, runs } from '#test/sweep.ts'
import { aWorld, bodyOf, type World } from '#test/world.ts'
import { loadFunctionFiles } from '#tools/contracts/function-files.ts'

const methods = (await loadFunctionFiles()).map(({ method }) => method)

let world: World

/** Hash checking is off, so that unsigned input reaches the methods. */
beforeAll(async () => {
  const settings = { API_Disable_hash_checking: '1', Devices_Check_Rate: '1', Allow_GET_API: '1' }
  const switches = { Show_Active_Calls_for_Users: '1', Queue_Log_Enabled: '1' }
  world = await aWorld({ users: people, devices: exampleDevices }, { ...settings, ...switches })
})

const awkward = fc.constantFrom(
  '<b>&amp;</b>',
  '& < > " \' \\ ;',
  '😀 שלום \u202e abc',
  'a\u0000b',
  '\ud800',
  '\ufffe',
  '-1',
  '0',
  '1e9',
  '99999999999999999999',
  '1.0',
  ' 10 ',
  '\r\n\t',
  '%',
  'x'.repeat(5000),
)

const value = fc.oneof(
  awkward,
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.integer({ min: 0, max: 500 }).map(String),
  fc.constantFrom('', '10', '20', '100', '200', '1', 'admin', 'bobs-phone', 'src', 'all'),
)

const name = (method: Method) =>
  fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom('u', 'hash', 'p', ...Object.keys(method.params)) },
    { weight: 1, arbitrary: fc.string({ maxLength: 10 }) },
  )

const caller = fc.constantFrom(...people.map(({ username }) => username))

const parameters = (method: Method) =>
  fc
    .tuple(caller, fc.array(fc.tuple(name(method), value), { maxLength: 8 }))
    .map(([u, sent]): [string, string][] => [['u', u], ...sent])

/** The parameters in every encoding that clients use, or bytes that are not a request. */
const request = (method: Method): fc.Arbitrary<Request> =>
  fc.oneof(
    parameters(method).map((sent) => ({ body: new URLSearchParams(sent).toString() })),
    parameters(method).map((sent) => ({ method: 'GET', query: sent })),
    parameters(method).map((sent) => ({
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(Object.fromEntries(sent)),
    })),
    fc
      .tuple(
        fc.constantFrom(
          'application/json',
          'multipart/form-data; boundary=x',
          'application/x-www-form-urlencoded',
          'a/b',
        ),
        fc.uint8Array({ maxLength: 200 }),
      )
      .map(([type, bytes]) => ({ headers: { 'content-type': type }, body: Buffer.from(bytes) })),
  )

function expectWellFormed(document: string): void {
  const parser = new SaxesParser()
  parser.on('error', (error) => {
    throw error
  })
  parser.write(document).close()
}

/** The counters of failed logins change by design. */
const stored = async () => (await world.dump()).filter((item) => !item.PK.startsWith('LOGINFAIL#'))

const isRefusal = (document: string): boolean => /<error>|<status>failed<|^[A-Z]/.test(document)

test.each(methodsToTry(methods).map((method) => [method.name, method] as const))(
  '%s answers any input with XML, never with an internal error, and stores nothing if it refuses',
  async (_name, method) => {
    await fc.assert(
      fc.asyncProperty(request(method), async (sent) => {
        const before = await stored()
        const answer = await world.send(method, sent)
        const document = bodyOf(answer)

        if (method.envelope !== 'plain' || document.startsWith('<')) expectWellFormed(document)
        expect([200, 400, 415]).toContain(answer.statusCode)
        expect(document).not.toMatch(/node_modules|\.ts:\d|at async/)
        if (isRefusal(document)) expect(await stored()).toEqual(before)
      }),
      { numRuns: runs(3, 12) },
    )
  },
)

test.each(methodsToTry(methods).map((method) => [method.name, method] as const))(
  '%s refuses a megabyte',
  async (_name, method) => {
    const answer = await world.send(method, { body: `u=admin&x=${'y'.repeat(1_000_000)}` })

    expect(answer.statusCode).toBe(413)
    expect(answer.body).toContain(render(envelopes[method.envelope].refusal('Request is too large')))
  },
)

const texts = methods.flatMap((method) =>
  Object.entries(method.params)
    .filter(([, { stored }]) => stored)
    .map(([name]) => [method.name, name, method] as const),
)

/** A change by each method with stored texts. Each method ignores the others' parameters. */
const SOMETHING = {
  user_id: 10,
  device: 100,
  device_id: 100,
  location_id: 1,
  location_rule_id: 100,
  email: 'jane@example.com',
  device_type: 'SIP',
  username: 'jane',
  password: 'Secret-1',
  password2: 'Secret-1',
  country_id: 80,
}

test('no method stores a text that no answer could print', async () => {
  const routing = await aRoutingWorld()
  await routing.set({
    API_allow_Payments: '1',
    API_allow_Registration: '1',
    Default_User_Tariff: '1',
    Trusted_Login_Addresses: '192.0.2.0/24',
  })
  for (const [name, parameter, method] of texts) {
    const params = { ...SOMETHING, name: 'n', cut: '1', [parameter]: 'a\u0007' }
    const answer = await routing.callInVain(method, 'admin', params)

    expect([name, answer]).toEqual([
      name,
      expect.stringContaining(`<error>${parameter} has invalid characters</error>`),
    ])
  }
})
