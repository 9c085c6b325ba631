import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Call } from '#lib/calls/call.ts'
import { callsIn, suspenseOf } from '#test/dump.ts'
import { sendDocuments } from '#test/mediation/csv-switch.ts'
import { SCENARIO_OPERATOR } from '#test/mediation/scenario-operator.ts'
import { aWorld, type World } from '#test/world.ts'
import {
  type BilledCall,
  type ScenarioDocument,
  scenarioSwitches,
  scenariosOf,
} from '#tools/contracts/scenarios.ts'

const ACCOUNTS = new Map([
  [10, 'acme'],
  [11, 'globex'],
])

const documents = scenarioSwitches()
  .flatMap((switchName) =>
    scenariosOf(switchName).flatMap((scenario) =>
      scenario.documents.map((document) => ({ scenario, document })),
    ),
  )
  .map((one, index) => ({
    ...one,
    source: `switch-${index}`,
    path: `${one.scenario.switchName}/${one.scenario.name}/${one.document.file}`,
  }))

const isOfLines = ({ document: { file } }: { readonly document: ScenarioDocument }): boolean =>
  file.endsWith('.ndjson') || file === 'Master.csv'

const linesIn = (text: string): string[] => text.split('\n').filter((line) => line !== '')

/** The same documents of several lines, sent line by line. */
const byLine = documents
  .filter((one) => isOfLines(one) && linesIn(one.document.text).length > 1)
  .map((one) => ({ ...one, source: `${one.source}-lines`, path: `${one.path}, line by line,` }))

const sent = ({ document: { format, columns }, source }: (typeof documents)[number], text: string) => ({
  format,
  columns,
  text,
  source,
  zone: 'UTC',
})

let world: World
let calls: readonly Call[]
let suspended: readonly { readonly source: string; readonly reason: string }[]

beforeAll(async () => {
  world = await aWorld(SCENARIO_OPERATOR)
  await sendDocuments(
    world,
    documents.map((one) => sent(one, one.document.text)),
  )
  const lines = byLine.map((one) => linesIn(one.document.text))
  for (let round = 0; round < Math.max(...lines.map(({ length }) => length)); round += 1) {
    await sendDocuments(
      world,
      byLine.flatMap((one, index) => (lines[index]?.[round] ? [sent(one, lines[index][round] ?? '')] : [])),
    )
  }
  calls = callsIn(await world.dump())
  suspended = await suspenseOf(world)
})

afterAll(() => {
  expect(documents.length).toBeGreaterThan(0)
})

const billedCall = (call: Call): BilledCall => ({
  account: ACCOUNTS.get(call.user_id) ?? '',
  device: call.device_id === undefined ? '' : `100${call.device_id}`,
  dst: call.dst,
  billsec: call.billsec,
  disposition: call.disposition,
  price: call.user_price ?? '',
  ...(call.user_price === '0' && call.billsec > 0 && { free: call.incoming ? 'incoming' : call.rated }),
})

const sorted = (some: readonly unknown[]): string[] => some.map((one) => JSON.stringify(one)).sort()

/** Unanswered legs beside an answered call cost nothing, and scenarios do not list them. */
const withoutUnanswered = (billed: readonly BilledCall[]): readonly BilledCall[] => {
  const answered = billed.filter(({ disposition }) => disposition === 'ANSWERED')
  return answered.length > 0 ? answered : billed
}

function expectBilled({ scenario, document, source }: (typeof documents)[number]): void {
  const billed = withoutUnanswered(calls.filter((call) => call.source === source).map(billedCall))
  expect(sorted(billed)).toEqual(sorted(scenario.calls))
  const reasons = suspended.filter((entry) => entry.source === source).map(({ reason }) => reason)
  expect(reasons.sort()).toEqual([...(scenario.suspended?.[document.file] ?? [])].sort())
}

const each = [...documents, ...byLine]

const isWaiting = (one: (typeof documents)[number]): boolean => {
  const { waits = {} } = one.scenario
  const { file } = one.document
  return file in waits || (byLine.includes(one) && `${file}, line by line` in waits)
}

test.each(each.filter((one) => !isWaiting(one)))('$path bills its calls', expectBilled)

test.each(each.filter(isWaiting))('$path waits', (one) => {
  expect(() => expectBilled(one)).toThrow()
})
