import { inject } from 'vitest'
import type { Method } from '#lib/api/method.ts'
import { serve } from '#lib/stack/stack.ts'
import { createClient } from '#lib/store/requests/client.ts'
import { createStore } from '#lib/store/store.ts'
import type { DumpedItem } from './dump.ts'
import { aContext, anEvent } from './event.ts'
import { faultyEndpoint, type Mishap, type TableRequest } from './faulty-endpoint.ts'
import { restore } from './restoring.ts'
import { bodyOf, signedForm, type World } from './world.ts'
import { aWritingWorld, type Change, NEW_ID } from './writing.ts'

/** The answer to a change, and the table after it. */
export interface Outcome {
  /** Status and document. */
  readonly answer: string
  readonly dump: readonly DumpedItem[]
}

type MishapOf = (request: TableRequest) => Mishap | undefined

/** A change that can be made again and again, each time from the same beginning, over a table with mishaps. */
export interface Laboratory {
  readonly world: World
  readonly beginning: readonly DumpedItem[]
  perform(mishapOf: MishapOf): Promise<Outcome>
}

export async function aLaboratory(change: Change, method: Method): Promise<Laboratory> {
  const world = await aWritingWorld(change.given)
  const beginning = await world.dump()
  const table = await aTableWithMishaps(world)
  /** Always the same secret, and after a lost race the same number again. */
  const random = { below: () => 0 }
  const send = async () => {
    const { openStore, close } = table.connect()
    const services = { ...world.services, random, openStore }
    const body = signedForm(method, change.params)
    const answer = await serve(method, services)(anEvent({ body }), aContext())
    close()
    return withoutChance(`${answer.statusCode} ${bodyOf(answer)}`)
  }
  return {
    world,
    beginning,
    perform: async (mishapOf) => {
      table.begin(mishapOf)
      const answer = await send()
      const dump = table.isTouched() ? await world.dump() : beginning
      if (table.isTouched()) await restore(world, { from: dump, to: beginning })
      return { answer, dump }
    },
  }
}

/** The way to a world's table; every connection has a client of its own, since clients remember how much went wrong. */
async function aTableWithMishaps({ table: { tableName } }: World) {
  let isTouched = false
  let next: MishapOf = () => undefined
  const { origin } = await faultyEndpoint(inject('endpoint'), (request) => {
    const mishap = next(request)
    isTouched ||= !READS.has(request.operation) && arrives(mishap)
    return mishap
  })
  return {
    begin: (mishapOf: MishapOf) => {
      isTouched = false
      next = mishapOf
    },
    /** Whether anything that writes has reached the table since the beginning. */
    isTouched: () => isTouched,
    connect: () => {
      const client = createClient({ tableName, endpoint: origin })
      const openStore: World['services']['openStore'] = (meter) => createStore({ client, tableName, meter })
      return { openStore, close: () => client.destroy() }
    },
  }
}

const READS = new Set(['BatchGetItem', 'Query', 'GetItem', 'Scan'])

const arrives = (mishap: Mishap | undefined): boolean =>
  mishap === undefined || mishap === 'answer lost' || mishap === 'answer cut short'

/** What differs from run to run though nothing else does: ids, salts, tokens. */
const withoutChance = (text: string): string =>
  text
    .replace(NEW_ID, 'NEW')
    .replace(/(scrypt\$\d+)\$[^"]*/g, '$1')
    .replace(/"ClientRequestToken":"[^"]*"/, '')

/** By what is asked of which items: the same request again, in this run or another, has the same name. */
export const nameOf = ({ operation, input }: TableRequest): string => `${operation} ${withoutChance(input)}`

/** A counter of ids may be ahead, the losers of races come and go, and attempts to log in are looked at elsewhere. */
const COUNTED = /^(ID|RACES|LOGINFAIL)#/

/** The same text for the same content of a table, whatever chance there was in it. */
export const stateOf = (items: readonly DumpedItem[]): string =>
  withoutChance(
    items
      .filter(({ PK }) => !COUNTED.test(PK))
      .map((item) => JSON.stringify(item, inOrder))
      .join('\n'),
  )

/** The engine gives the parts of an item in any order. */
const inOrder = (_name: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort())
    : value
