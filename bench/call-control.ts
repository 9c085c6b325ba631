import type { APIGatewayProxyEvent } from 'aws-lambda'
import { setSetting } from '#lib/calls/set-settings.ts'
import { addIntake } from '#lib/cdrs/switches/intake-acts.ts'
import { importPath } from '#lib/dataset/import/folder.ts'
import { authorizeEndpoint, releaseEndpoint } from '#lib/ingest/http/control-endpoint.ts'
import { accountKey } from '#lib/table/keys.ts'
import type { Store } from '#lib/table/store.ts'
import { secretOf } from '#test/acts/carry-out.ts'
import { aContext, anEvent } from '#test/event.ts'
import { basic } from '#test/mediation/intake.ts'
import { carryOutAs } from '#tools/command-line/act-commands.ts'
import { demoDataset } from '#tools/machine/data-folder.ts'
import { openBench } from './installation.ts'
import type { BenchmarkTable } from './report.ts'

/** The customer of the demo that has the device 2010. It may have this number of calls at once. */
const CUSTOMER = 10
const CALLS_LIMIT = 20

/** Makes the customer a limited one, and returns the requests of a switch about its calls. */
export async function limitCustomer(
  store: Store,
): Promise<(path: string, call: string) => APIGatewayProxyEvent> {
  await carryOutAs(store, setSetting, { as: 'admin', now: new Date() }, { name: 'Call_Control', value: 'on' })
  await store.update(accountKey(CUSTOMER), { set: { calls_limit: CALLS_LIMIT } })
  const secret = await secretOf({ store, now: new Date() }, addIntake, { name: 'bench' })
  const authorization = basic('bench', secret)
  return (path, call) => {
    const fields = { call, dst: '442079460096', sip_user: '2010', as: 'text' }
    return anEvent({
      path: `/calls/${path}`,
      headers: { authorization },
      body: new URLSearchParams(fields).toString(),
    })
  }
}

/** The decision that a switch waits for, and the bare requests that it cannot do without. */
const KINDS = ['bare', 'authorize', 'refuse', 'release'] as const

type Kind = (typeof KINDS)[number]

const NAMES: Readonly<Record<Kind, string>> = {
  bare: 'three requests in a row: GetItem, BatchGetItem of three items, UpdateItem',
  authorize: 'authorise, 19 holds beside it (goals: 8 ms, 40 ms on an idle machine)',
  refuse: 'refuse, 20 holds',
  release: 'release',
}

/** In each round one call is authorised, one is refused and the first one is released, by warm functions. */
export async function benchCallControl(rounds: number): Promise<BenchmarkTable> {
  const clock = () => new Date()
  const { services, store, stop } = await openBench(clock)
  try {
    await importPath({ store, clock }, demoDataset)
    const eventOf = await limitCustomer(store)
    const [authorize, release] = [authorizeEndpoint(services), releaseEndpoint(services)]
    const ask = async (path: 'authorize' | 'release', call: string) => {
      const { statusCode, body } = await (path === 'authorize' ? authorize : release)(
        eventOf(path, call),
        aContext(),
      )
      // A busy machine decides too late.
      if (statusCode !== 200 && statusCode !== 503) throw new Error(`${path} answered ${statusCode}: ${body}`)
    }
    for (let other = 1; other < CALLS_LIMIT; other += 1) await ask('authorize', `other-${other}`)
    const run: Readonly<Record<Kind, (round: number) => Promise<unknown>>> = {
      bare: () => threeRequests(store),
      authorize: (round) => ask('authorize', `${round}`),
      refuse: (round) => ask('authorize', `refused-${round}`),
      release: (round) => ask('release', `${round}`),
    }
    return toTable(await measure(run, rounds))
  } finally {
    await stop()
  }
}

async function threeRequests(store: Store): Promise<void> {
  await store.getMany([accountKey(CUSTOMER)])
  await store.getMany([0, 1, CUSTOMER].map((id) => accountKey(id)))
  await store.update(accountKey(CUSTOMER), { set: { calls_limit: CALLS_LIMIT } })
}

type Samples = Readonly<Record<Kind, number[]>>

async function measure(
  run: Readonly<Record<Kind, (round: number) => Promise<unknown>>>,
  rounds: number,
): Promise<Samples> {
  const samples: Samples = { bare: [], authorize: [], refuse: [], release: [] }
  for (let round = 0; round < rounds; round += 1) {
    for (const kind of KINDS) {
      const start = performance.now()
      await run[kind](round)
      samples[kind].push(performance.now() - start)
    }
  }
  return samples
}

const toTable = (samples: Samples): BenchmarkTable => ({
  title: 'Call control, warm, on the embedded engine: times of the median of three bare requests in a row',
  rows: KINDS.map((kind) => [
    NAMES[kind],
    `p50 ${ratio(samples, kind, 0.5)}, p99 ${ratio(samples, kind, 0.99)}`,
  ]),
})

const ratio = (samples: Samples, kind: Kind, share: number): string =>
  (quantile(samples[kind], share) / quantile(samples.bare, 0.5)).toFixed(2)

const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length * share)] ?? Number.NaN
