import { existsSync, readFileSync } from 'node:fs'
import { root } from '#tools/machine/location.ts'
import { CommandError, UsageError } from '#tools/machine/terminal.ts'
import type { GeneratedFiles } from './generated-files.ts'

/** `<area>/<method>`, as in the folder functions/ and in the URL. */
const PLACE = /^([a-z][a-z-]*)\/([a-z][a-z0-9_]*)$/

/**
 * The files of a small working method to start from: it answers an account's username to admin. `place` is
 * `<area>/<method>`. Throws CommandError for a malformed place and for an existing method.
 */
export function newMethod(place: string): GeneratedFiles {
  const [, area, name] = PLACE.exec(place) ?? []
  if (!area || !name) throw new UsageError(`${place} is not <area>/<method>, such as devices/device_restart`)
  const path = `functions/${place}.ts`
  if (existsSync(root + path)) throw new CommandError(`${path} exists already: choose another name`)
  return {
    [path]: methodFile(name),
    [`functions/${place}.test.ts`]: testFile(name),
    ...added('events/examples.json', (text) => withExample(text, name)),
    ...added('test/trips.test.ts', (text) => withTrips(text, name)),
    ...added('tools/contracts/words/parameter-words.ts', (text) => withWords(text, name)),
    ...added('docs/wire.md', (text) => `${text.trimEnd()}\n\n${section(name)}`),
  }
}

const added = (path: string, change: (text: string) => string): GeneratedFiles => ({
  [path]: change(readFileSync(root + path, 'utf8')),
})

const withExample = (text: string, name: string): string =>
  text.replace(/\n\}\s*$/, `,\n  "${name}": { "u": "admin", "user_id": "10" }\n}\n`)

/** The first row of the table of trips. */
const FIRST_ROW = "  ['active_calls_get', "

const withTrips = (text: string, name: string): string =>
  text.replace(FIRST_ROW, `  ['${name}', { user_id: 10 }, 1, 0],\n${FIRST_ROW}`)

/** The last entry of `words`; an area with several methods gets a file of its own. */
const LAST_AREA = '  ...billingWords,\n'

const withWords = (text: string, name: string): string =>
  text.replace(
    LAST_AREA,
    `${LAST_AREA}  ${name}: { user_id: { says: 'The customer, by its id.', required: true, example: '10' } },\n`,
  )

const section = (name: string): string =>
  `### ${name}\n\n- **Decision.** The rules of this method, each with its reason.\n`

const methodFile = (name: string): string => `import { defineMethod } from '#lib/api/method.ts'
import { accountIn } from '#lib/api/loads.ts'
import { namedId } from '#lib/api/parameters.ts'
import { isOwnCustomer } from '#lib/base/scope.ts'
import { lambda } from '#lib/api/stack/lambda.ts'
import { element } from '#lib/xml/element.ts'

export const method = defineMethod(
  {
    name: '${name}',
    summary: 'The username of a customer.',
    callers: { allowed: ['admin'], anonymous: 'Access Denied' },
    params: { user_id: namedId },
    hashOrders: [{ signs: ['user_id'] }],
    errors: { no_user: 'User was not found' },
    envelope: 'page',
    access: 'read',
    loads: { user: accountIn('user_id') },
  },
  async ({ caller, loaded: { user }, refuse }) => {
    if (!user || !isOwnCustomer(caller, user)) throw refuse('no_user')

    return element('username', user.username)
  },
)

export const handler = lambda(method)
`

const testFile = (name: string): string => `import { expect, test } from 'vitest'
import { people } from '#test/examples/examples.ts'
import { aWorld } from '#test/world.ts'
import { method } from './${name}.ts'

test('admin gets the username of a customer', async () => {
  const world = await aWorld({ users: people })

  expect(await world.call(method, 'admin', { user_id: 10 })).toContain('<page><username>bob</username></page>')
})

test.each([undefined, 'ben', 'alice', 'rick', 'pat', 'bob'])('%s is turned away', async (caller) => {
  const world = await aWorld({ users: people })

  expect(await world.call(method, caller, { user_id: 10 })).toContain('<error>Access Denied</error>')
})

test.each([
  ['an unknown user', 12345],
  ["a reseller's customer", 20],
])('refuses: %s', async (_case, user_id) => {
  const world = await aWorld({ users: people })

  expect(await world.call(method, 'admin', { user_id })).toContain('<error>User was not found</error>')
})
`
