import type { Services } from '#lib/api/method.ts'
import { serve } from '#lib/api/stack/stack.ts'
import { queueConsumer } from '#lib/ingest/queue-consumer.ts'
import { createClient } from '#lib/table/requests/client.ts'
import { createMeter } from '#lib/table/requests/meter.ts'
import { createStore } from '#lib/table/store.ts'
import { importRows } from '#test/datasets/import-rows.ts'
import { aContext, anEvent, queueEvent } from '#test/event.ts'
import { sendTraffic } from './clients.ts'
import {
  cdrDocuments,
  formOf,
  methodOf,
  type SentStep,
  STEP_KINDS,
  type StepParams,
  trafficRates,
} from './steps.ts'

// Imports no vitest and no example data: a bundled file that is started and killed includes it.

/** The answer of a step that is not a call of a method. */
export const DONE = 'done'

/** The rates that a step replaces. */
export const RATES_IN_PROCESS = 40

/** Sends steps to the functions themselves. */
export const inProcess =
  (services: Services, key: string) =>
  async (step: SentStep): Promise<string> => {
    const { kind, params } = step
    if (kind === 'rates') return replaceRates(services, params)
    if (kind === 'calls') return consume(services, [{ type: 'calls', records: [callRow(params)] }])
    if (kind === 'cdrs')
      return consume(
        services,
        cdrDocuments(params).map(({ text, plains: _, ...of }) => ({
          type: 'switch_record',
          ...of,
          document: text,
        })),
      )
    const event = anEvent({ body: formOf(step, key).toString() })
    const { body } = await serve(methodOf(kind), services)(event, aContext(280_000))
    return body
  }

async function replaceRates(
  { openStore, clock }: Services,
  { tariff_rate = '' }: StepParams,
): Promise<string> {
  const rates = trafficRates(RATES_IN_PROCESS, tariff_rate)
  return importRows({ store: openStore(createMeter()), clock }, { rates }).then(
    () => DONE,
    (error: Error) => `<error>${error.message}</error>`,
  )
}

async function consume(services: Services, messages: readonly object[]): Promise<string> {
  const { batchItemFailures } = await queueConsumer('ingest_calls', services)(queueEvent(...messages))
  return batchItemFailures.length === 0 ? DONE : '<error>It is delivered again</error>'
}

const callRow = (params: StepParams) => ({
  ...params,
  calldate: '2026-03-10 09:00:00',
  src: '37000001',
  dst: '37060012345',
  duration: '70',
  billsec: '60',
  hangupcause: '16',
  provider_id: '1',
  provider_price: '0.05',
  user_price: '0.1',
  reseller_price: '0.07',
})

const NOON = Date.parse('2026-03-10T12:00:00Z')

/** Sends traffic until the process is killed, and writes each step to standard output. */
export async function sendUntilKilled(environment: NodeJS.ProcessEnv): Promise<void> {
  const { ENDPOINT = '', TABLE_NAME = '', SEED = '', FROM = '', KEY = '' } = environment
  const client = createClient({ tableName: TABLE_NAME, endpoint: ENDPOINT })
  const services: Services = {
    openStore: (meter) => createStore({ client, tableName: TABLE_NAME, meter }),
    clock: () => new Date(NOON + performance.now()),
    transport: { streams: false, maxBytes: 4_400_000 },
    random: { below: (bound) => Math.floor(Math.random() * bound) },
    log: () => {},
  }
  await sendTraffic({
    seed: Number(SEED),
    from: Number(FROM),
    clients: Array(8).fill(STEP_KINDS),
    send: inProcess(services, KEY),
    continues: () => true,
    note: (step: SentStep) => process.stdout.write(`${JSON.stringify(step)}\n`),
  })
}
