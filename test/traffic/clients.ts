import { drawnSteps, paramsOf, type SentStep, type StepKind, type StepParams } from './steps.ts'

// Imports no vitest: a process that is killed runs this, too.

export interface Traffic {
  readonly seed: number
  /** The number of the first step. */
  readonly from: number
  /** For each client the kinds of its steps. */
  readonly clients: readonly (readonly StepKind[])[]
  /** Sends a step and returns the answer, if one comes. */
  readonly send: (step: SentStep) => Promise<string | undefined>
  /** Tells, before each step, whether there is another one. */
  readonly continues: (n: number) => boolean
  /** Receives each step before it is sent, and again with its answer. */
  readonly note?: (step: SentStep) => void
}

/** The ids of trafficRows that exist from the beginning, and stay but for the rules of devices. */
export const EXISTING = {
  devices: [100, 500],
  deviceRules: Array.from({ length: 30 }, (_, n) => 1000 + n),
  locationRules: [100, 101],
}

/** Runs the clients in parallel, each step by step. Returns the steps with their answers. */
export async function sendTraffic({ note = () => {}, ...traffic }: Traffic): Promise<SentStep[]> {
  const journal: SentStep[] = []
  const known = { ...EXISTING, deletableDevices: [] as number[], deletableLocationRules: [] as number[] }
  let next = traffic.from
  const send = async (n: number, kind: StepKind, params: StepParams) => {
    note({ n, kind, params })
    const sent = { n, kind, params, answer: await traffic.send({ n, kind, params }) }
    known.deletableDevices.push(...idsFrom([sent], 'device_create'))
    known.deletableLocationRules.push(...idsFrom([sent], 'location_rule_create'))
    journal.push(sent)
    note(sent)
  }
  const client = async (kinds: readonly StepKind[], index: number) => {
    for (const step of drawnSteps(kinds, traffic.seed + index)) {
      if (!traffic.continues(next)) break
      const n = next++
      await send(n, step.kind, paramsOf(step, n, known))
    }
  }
  await Promise.all(traffic.clients.map(client))
  return journal
}

/** The ids that successful answers of the kind gave. */
export const idsFrom = (journal: readonly SentStep[], kind: StepKind): number[] =>
  journal.flatMap(({ kind: one, answer = '' }) => {
    const id = one === kind && /<id>(\d+)<|rule_id: (\d+)/.exec(answer)
    return id ? [Number(id[1] ?? id[2])] : []
  })
