import { loadFunctionFiles } from '#tools/contracts/function-files.ts'
import { exampleOf } from '#tools/contracts/generated-files.ts'
import type { FixtureQuestions, FixtureRequest } from './answers.ts'
import { INTAKE_SECRET, kamailioEvents, switchDocument } from './release-table.ts'
import { RELEASE_TIME } from './release-time.ts'

/** Requests of other callers than those of the examples. */
const FURTHER_READS: readonly FixtureRequest[] = [
  { method: 'device_details_get', params: { u: 'admin', device_id: '10' } },
  { method: 'tariff_rates_get', params: { u: 'admin', tariff_id: '2' } },
  { method: 'active_calls_get', params: { u: 'northwind' } },
  { method: 'quickstats_get', params: { u: 'carol' } },
  { method: 'user_calls_get', params: { u: 'admin', s_user: 'all' } },
  { method: 'credit_notes_get', params: { u: 'admin' } },
  { method: 'payments_get', params: { u: 'admin', s_from: '0' } },
  { method: 'subscriptions_get', params: { u: 'admin' } },
  { method: 'invoices_get', params: { u: 'admin', from: '0' } },
]

/** The examples of all methods, and what a switch sends: the ends of pending calls, and a document that is mediated already. */
export async function questionsOfRelease(): Promise<FixtureQuestions> {
  const methods = (await loadFunctionFiles()).map(({ method }) => method)
  const examples = (access: 'read' | 'write') =>
    methods
      .filter((method) => method.access === access)
      .map(({ name }) => ({ method: name, params: exampleOf(name) }))
  const door = { intake: 'sip1', secret: INTAKE_SECRET }
  const asked = (request: FixtureRequest) => ({ request })
  return {
    now: RELEASE_TIME.toISOString(),
    reads: [...examples('read'), ...FURTHER_READS].map(asked),
    changes: [
      ...examples('write'),
      { ...door, format: 'kamailio-json', cdrs: await kamailioEvents('BYE') },
      { ...door, format: 'kamailio-json', cdrs: await switchDocument('kamailio.ndjson') },
    ].map(asked),
  }
}
