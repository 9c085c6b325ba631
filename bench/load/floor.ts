import { randomUUID } from 'node:crypto'
import { TransactWriteCommand, type TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb'
import type { Services } from '#lib/api/method.ts'
import { createClient, type TableClient } from '#lib/store/requests/client.ts'
import { createStore } from '#lib/store/store.ts'
import type { TableLocation } from '#lib/store/table.ts'
import { aroundRequests } from '#test/faults/around-requests.ts'
import { answerTo } from '#tools/examples/answers.ts'
import type { Calls } from './calls.ts'

/** A command of AWS's client. */
interface Command {
  readonly input: object
}

/** The requests of one call to the table: those of a step are sent together, when those of the step before are answered. */
export type Steps = readonly (readonly Command[])[]

const RECORDED_CALLS = 40

/** Answers calls in this process and records what they send to the table. The calls that write do so. */
export async function recordSteps({ method, params }: Calls, location: TableLocation): Promise<Steps[]> {
  const { tableName } = location
  const client = createClient(location)
  const recorded: Steps[] = []
  for (let n = 0; n < RECORDED_CALLS; n += 1) {
    const sent = params[n % params.length] ?? {}
    const { recording, steps } = recordingClient(client)
    const services: Services = {
      openStore: (meter) => createStore({ client: recording, tableName, meter }),
      clock: () => new Date(),
      transport: { streams: false, maxBytes: 25_000_000 },
      random: { below: () => 0 },
      log: () => {},
    }
    const answer = await answerTo(services, method, sent)
    if (answer.includes('<error>')) throw new Error(`${method.name} answered ${answer}`)
    recorded.push(steps)
  }
  client.destroy()
  return recorded
}

function recordingClient(client: TableClient) {
  const steps: Command[][] = []
  let answered = 0
  const recording = aroundRequests(client, async (command, send) => {
    const at = answered
    steps[at] = [...(steps[at] ?? []), command as Command]
    try {
      return await send()
    } finally {
      answered = Math.max(answered, at + 1)
    }
  })
  return { recording, steps }
}

/** Sends the recorded requests through AWS's client with nothing around it, again and again. Returns the number of calls. */
export async function replay(
  recorded: readonly Steps[],
  location: TableLocation,
  { seconds, connections }: { readonly seconds: number; readonly connections: number },
): Promise<number> {
  const client = createClient(location)
  const until = Date.now() + seconds * 1000
  let count = 0
  const replayCalls = async () => {
    while (Date.now() < until) {
      for (const step of recorded[count++ % recorded.length] ?? [])
        await Promise.all(step.map((command) => client.send(repeated(command) as never)))
    }
  }
  await Promise.all(Array.from({ length: connections }, replayCalls))
  client.destroy()
  return count
}

/** A client changes a command when it sends it, so it takes a new one each time. */
function repeated(command: Command): Command {
  if (command instanceof TransactWriteCommand) return new TransactWriteCommand(freshPuts(command.input))
  const Repeated = command.constructor as new (input: object) => Command
  return new Repeated(command.input)
}

/**
 * A transaction of as many items of the same size, which are new: the conditions of the recorded one held only once. An item
 * that was updated or checked becomes a small one.
 */
function freshPuts(input: TransactWriteCommandInput): TransactWriteCommandInput {
  const fresh = randomUUID()
  const items = (input.TransactItems ?? []).map(({ Put, Update, Delete, ConditionCheck }) => ({
    ...(Put?.Item ?? Update?.Key ?? Delete?.Key ?? ConditionCheck?.Key),
  }))
  const TableName = input.TransactItems?.[0]?.Put?.TableName
  return {
    ClientRequestToken: fresh,
    ReturnConsumedCapacity: 'TOTAL',
    TransactItems: items.map((item) => ({
      Put: { TableName, Item: { ...item, PK: `FLOOR#${fresh}#${item['PK']}` } },
    })),
  }
}
