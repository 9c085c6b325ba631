import type { Method } from '#lib/api/method.ts'
import { serve } from '#lib/api/stack/stack.ts'
import type { DatasetRows } from '#test/datasets/import-rows.ts'
import { aContext, anEvent, type Request } from '#test/event.ts'
import { noteSecretsOf } from '#test/evidence/log-evidence.ts'
import { aWritingWorld, changes } from '#test/examples/writing.ts'
import { bodyOf, type World } from '#test/world.ts'
import { loadFunctionFiles } from '#tools/contracts/function-files.ts'

const methods = (await loadFunctionFiles()).map(({ method }) => method)

export function methodNamed(name: string): Method {
  const method = methods.find((one) => one.name === name)
  if (!method) throw new Error(`There is no ${name}`)
  return method
}

export type Sent = Readonly<Record<string, string>>

export const FORM = 'application/x-www-form-urlencoded'

/** A form of several parts. */
export const multipart = (sent: Sent, boundary: string): string =>
  [...Object.entries(sent), ['', '']]
    .map(([name, value]) =>
      name === ''
        ? `--${boundary}--\r\n`
        : `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
    )
    .join('')

/** The ways in which a client may write parameters. */
export const WRITERS: Readonly<Record<string, (sent: Sent) => Request>> = {
  form: (sent) => ({ body: String(new URLSearchParams(sent)) }),
  json: (sent) => ({ body: JSON.stringify(sent), headers: { 'Content-Type': 'application/json' } }),
  multipart: (sent) => ({
    body: multipart(sent, 'a'),
    headers: { 'Content-Type': 'multipart/form-data; boundary=a' },
  }),
  query: (sent) => ({ method: 'GET', query: Object.entries(sent) }),
}

let requests = 0

/** Sends a request to a method; each has an id of its own. */
export async function sendCaptured(world: World, method: Method, request: Request): Promise<string> {
  requests += 1
  const context = { ...aContext(), awsRequestId: `request-${requests}` }
  const body = bodyOf(await serve(method, world.services)(anEvent(request), context))
  noteSecretsOf(request, body)
  return body
}

/** A table with all that methods work on, in which all of them are on, also by GET. */
export async function aWorldOfMethods(given: DatasetRows = {}): Promise<World> {
  const world = await aWritingWorld(given)
  await world.set({ Allow_GET_API: '1' })
  return world
}

/** Signed requests that change something, of every method that does. */
export const CHANGES = changes.flatMap(({ method, what, params, given, changesNothing, countsOnly }) => {
  const found = methodNamed(method)
  if (found.callers === 'public' || found.hashOrders.length === 0 || changesNothing || countsOnly) return []
  const texts = Object.entries(params).map(([name, value]) => [name, String(value)] as const)
  const sent: Sent = Object.fromEntries([['u', 'admin'], ...texts])
  return [{ name: `${method}, ${what}`, method: found, sent, given }]
})

/** The items of a signed request besides its effect. */
const isOfSignature = ({ PK }: { readonly PK: string }) => /^(SIGNATURE|LOGINFAIL|RACES)#/.test(PK)

/** All items but those. */
export const stateOf = async (world: World) => (await world.dump()).filter((item) => !isOfSignature(item))
