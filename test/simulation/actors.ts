import type { APIGatewayProxyResult } from 'aws-lambda'
import type { Act, ActOutcome } from '#lib/acts/act.ts'
import type { GivenTexts, Inputs } from '#lib/acts/inputs.ts'
import { EVENT_TYPES, type EventType } from '#lib/alerts/event-types.ts'
import { relayEvents } from '#lib/alerts/relay.ts'
import { MOST_TRIES, webhookSender } from '#lib/alerts/sender.ts'
import type { Operation, Resource } from '#lib/api/console/resource.ts'
import { serveResource } from '#lib/api/console/stack.ts'
import type { Method } from '#lib/api/method.ts'
import { serve } from '#lib/api/stack/stack.ts'
import { totalOf } from '#lib/base/balance.ts'
import { Refusal } from '#lib/base/refusal.ts'
import { findBalance } from '#lib/billing/balance.ts'
import { hourlyCharges } from '#lib/billing/charges/charge-run.ts'
import { adjustBalance } from '#lib/billing/payments/adjust-balance.ts'
import { hourlyAllocations } from '#lib/billing/payments/allocate-oldest.ts'
import { recordPayment } from '#lib/billing/payments/record-payment.ts'
import { takeBackPayment } from '#lib/billing/payments/take-back-payment.ts'
import { archiver } from '#lib/calls/archive/archive-function.ts'
import { hourlySums } from '#lib/calls/report/day-groups.ts'
import { setSetting } from '#lib/calls/set-settings.ts'
import { REASONS } from '#lib/cdrs/formats/cdr.ts'
import { openMediation } from '#lib/cdrs/mediation.ts'
import { issueMonth, type MonthOfCustomers } from '#lib/cdrs/pipeline/issue-month.ts'
import { retryBatches } from '#lib/cdrs/pipeline/retry.ts'
import { authorizeEndpoint, releaseEndpoint } from '#lib/ingest/http/control-endpoint.ts'
import { deliverAsMessages } from '#lib/ingest/http/deliver-to-queue.ts'
import { intakeEndpoint } from '#lib/ingest/http/intake-endpoint.ts'
import { queueConsumer } from '#lib/ingest/queue-consumer.ts'
import { anEndpoint } from '#test/acts/endpoints.ts'
import { importRows } from '#test/datasets/import-rows.ts'
import { aContext, anEvent, type Request } from '#test/event.ts'
import { carryOutAs } from '#tools/command-line/act-commands.ts'
import { signedParameters } from '#tools/contracts/signed-call.ts'
import { CommandError } from '#tools/machine/terminal.ts'
import { method as userDetailsUpdate } from '../../functions/accounts/user_details_update.ts'
import { method as paymentCreate } from '../../functions/billing/payment_create.ts'
import { resource as consolePayments } from '../../functions/console/money/payments.ts'
import { method as deviceCreate } from '../../functions/devices/device_create.ts'
import { method as deviceDelete } from '../../functions/devices/device_delete.ts'
import type { Book, Certainty, Outgoing, SentCall, ToldCall } from './book.ts'
import {
  ACCOUNT_OF_ZOE,
  ACCOUNTS,
  BOB,
  CAROL,
  DAVE,
  MALLORY,
  OWNER_OF,
  PAUL,
  RATES,
  RICK,
  SIMULATED_FROM,
  SIMULATED_KEY,
  TRUDY,
  ZOE,
} from './dataset.ts'
import { RINGING_SECONDS, writtenDocuments } from './documents.ts'
import { SILENT_URL, type SimulatedInstallation, type SimulatedQueue } from './installation.ts'
import type { Outside } from './outside.ts'
import type { Draws } from './random.ts'
import type { Ending } from './scheduler.ts'

/** The state that the actors of a simulation share. */
export interface Simulated {
  readonly outside: Outside
  readonly draws: Draws
  readonly installation: SimulatedInstallation
  readonly book: Book
  /** Finds what is wrong at once. */
  readonly object: (wrong: string) => void
}

/** One thing that somebody does: it runs as an invocation of its own. */
export interface Deed {
  readonly who: string
  readonly what: string
  readonly work: () => Promise<unknown>
  readonly ended?: (ending: Ending<unknown>) => void
  /** It is killed when so many of its requests are answered. */
  readonly fallsAfter?: number
}

/** Draws the next deed of an actor; `undefined` if it has nothing to do. */
export type Acts = (scene: Simulated) => Deed | undefined

/** Carries out an act at a terminal. */
export async function carries<I extends Inputs, A>(
  { installation }: Pick<Simulated, 'installation'>,
  act: Act<I, A>,
  as: string,
  given: GivenTexts = {},
  store = installation.store(),
): Promise<ActOutcome<A>> {
  const outcome = await carryOutAs(store, act, { as, now: new Date() }, given)
  installation.called.add(act.summary)
  return outcome
}

export const doneOf = <T>(ending: Ending<unknown>): T | undefined =>
  ending !== 'killed' && 'done' in ending ? (ending.done as T) : undefined

/** Refused by a rule: nothing was done. */
export const isRefused = (ending: Ending<unknown>): boolean =>
  ending !== 'killed' &&
  'failed' in ending &&
  (ending.failed instanceof Refusal || ending.failed instanceof CommandError)

const now = ({ outside }: Simulated): Date => new Date(outside.now)

const seconds = ({ outside }: Simulated): number => Math.floor(outside.now / 1000)

// Switches

const PAYERS: readonly (readonly [name: string, id: number])[] = [
  ...([
    ['bob', BOB],
    ['bob', BOB],
    ['dave', DAVE],
    ['dave', DAVE],
    ['trudy', TRUDY],
    ['zoe', ZOE],
    // Codes that are ids: nobody else may have them as a username.
    ['10', BOB],
    ['21', DAVE],
  ] as const),
]

const FORMATS = {
  ...({ gw1: 'csv', gw2: 'asterisk-json', gw3: 'asterisk-csv', fs1: 'csv', sip1: 'kamailio-json' } as const),
}

const numberUnder = (draws: Draws, prefix: string): string => `${prefix}${1_000_000 + draws.below(9_000_000)}`

/** A number of the caller that shows whose call it is: no other tenant may read it. */
const sourceOf = (userId: number, n: number): string => `9${String(userId).padStart(2, '0')}${100_000 + n}`

const UNRATED = '49'

const PREFIXES = [...Object.keys(RATES['1'] ?? {}), '44', UNRATED]

const DAY_SECONDS = 86_400

/** A correction comes soon, while another function may still store what it corrects. */
const RECENT_CALLS = 2

/** Calls that began earlier are archived, or will be by the next run. */
const LATE_SECONDS = 7 * DAY_SECONDS

function newCall(scene: Simulated, source: string): SentCall {
  const { draws, book } = scene
  const n = book.next++
  const [account, userId] = draws.one(PAYERS)
  const back = draws.onceIn(6) ? draws.below(30 * DAY_SECONDS) : 300 + draws.below(7200)
  // A call comes late whose neighbours are billed already.
  const neighbour = draws.onceIn(5) ? [...book.calls.values()][draws.below(book.calls.size)] : undefined
  const call: SentCall = {
    source,
    uniqueid: `c${n}`,
    account,
    userId,
    start: neighbour ? neighbour.start + 1 + draws.below(60) : seconds(scene) - back,
    src: sourceOf(userId, n),
    dst: numberUnder(draws, draws.one(PREFIXES)),
    lengths: [draws.onceIn(6) ? 0 : 1 + draws.below(200)],
  }
  if (source === 'gw2' && Number(call.lengths[0]) > 0 && draws.onceIn(2))
    call.leg = draws.one(['linked', 'sequence'])
  book.calls.set(call.uniqueid, call)
  return call
}

/** A second version of a call with two CDRs would be one of either. */
const mayBeCorrected = ({ lengths, leg }: SentCall): boolean => Number(lengths[0]) > 0 && leg === undefined

const outgoingOf = (book: Book, source: string): Outgoing[] => {
  const list = book.outgoing.get(source) ?? []
  book.outgoing.set(source, list)
  return list
}

/** New CDRs, a corrected one now and then, and one in eight documents twice. */
export const switchSends: Acts = (scene) => {
  const { draws, book } = scene
  const source = draws.one(['gw1', 'gw2', 'gw3', 'sip1'] as const)
  const list = outgoingOf(book, source)
  if (list.length === 0 || draws.onceIn(3)) {
    const calls = Array.from({ length: 1 + draws.below(3) }, () => newCall(scene, source))
    const known = [...book.calls.values()]
      .slice(-RECENT_CALLS)
      .filter((call) => call.source === source && source !== 'sip1' && mayBeCorrected(call))
    const corrected = draws.onceIn(2) && known.length > 0 ? draws.one(known) : undefined
    corrected?.lengths.push(draws.onceIn(6) ? 0 : anotherLength(corrected, draws))
    const told = corrected ? [...new Set([...calls, corrected])] : calls
    list.push(...writtenDocuments(FORMATS[source], told, draws))
  }
  return sendDocument(scene, source, list)
}

/** The same old calls are corrected again and again, before and after they have left the table. */
export const correctsLate: Acts = (scene) => {
  const { draws, book } = scene
  const late = [...book.calls.values()]
    .filter(({ source, start }) => source.startsWith('gw') && start < seconds(scene) - LATE_SECONDS)
    .filter(mayBeCorrected)
    .slice(-RECENT_CALLS)
  const call = late[draws.below(late.length)]
  if (!call) return undefined
  call.lengths.push(anotherLength(call, draws))
  return sendsVersion(scene, call)
}

function sendsVersion(scene: Simulated, call: SentCall): Deed | undefined {
  const list = outgoingOf(scene.book, call.source)
  const format = FORMATS[call.source as keyof typeof FORMATS]
  list.push(...writtenDocuments(format, [call], scene.draws))
  return sendDocument(scene, call.source, list)
}

/** The first stored calls are corrected again and again, and their earlier versions come again. */
export const correctsOften: Acts = (scene) => correctsOneOf(scene, CORRECTED_OFTEN)

export const correctsFirst: Acts = (scene) => correctsOneOf(scene, 1)

function correctsOneOf(scene: Simulated, most: number): Deed | undefined {
  const { draws, book } = scene
  const first = [...book.calls.values()]
    .filter((call) => call.source.startsWith('gw') && mayBeCorrected(call))
    .filter(({ userId, dst }) => userId !== ZOE && !dst.startsWith(UNRATED))
    .slice(0, most)
  const call = first[draws.below(first.length)]
  if (!call) return undefined
  const count = call.lengths.length
  if (count < MOST_VERSIONS && draws.onceIn(2))
    call.lengths.push(draws.onceIn(4) ? 0 : anotherLength(call, draws))
  else return sendsVersion(scene, { ...call, lengths: call.lengths.slice(0, 1 + draws.below(count)) })
  return sendsVersion(scene, call)
}

const CORRECTED_OFTEN = 3

/** A version that comes again is known among so many. */
export const MOST_VERSIONS = 8

/** No other version of the call has it. */
function anotherLength({ lengths }: SentCall, draws: Draws): number {
  const length = 1 + draws.below(200)
  return lengths.includes(length) ? Math.max(...lengths) + 1 : length
}

function sendDocument(
  { draws, book, installation }: Simulated,
  source: string,
  list: Outgoing[],
): Deed | undefined {
  const document = list[draws.below(list.length)]
  if (!document) return undefined
  const deliver = deliverAsMessages((messages) => installation.records.send(messages))
  const endpoint = intakeEndpoint(deliver, installation.services)
  const headers = { authorization: installation.authorization.get(source) ?? '' }
  const event = {
    ...anEvent({ path: `/intake/${document.format}`, body: document.text, headers }),
    pathParameters: { format: document.format },
  }
  return {
    who: source,
    what: `sends ${document.calls.map(({ uniqueid, lengths, account }) => `${uniqueid} of ${account}, ${lengths.at(-1)} s`).join('; ')}`,
    work: () => endpoint(event, aContext(30_000)),
    ended: (ending) => {
      const status = doneOf<APIGatewayProxyResult>(ending)?.statusCode
      if (status !== 200) return
      for (const told of document.told) noteAccepted(book, told)
      if (!draws.onceIn(8)) list.splice(list.indexOf(document), Number(list.includes(document)))
    },
  }
}

/** A proxy tells a call by two events: it is accepted with the second one. */
function noteAccepted(
  { halves, accepted, answered, versions }: Book,
  { uniqueid, length, half }: ToldCall,
): void {
  if (half) halves.set(uniqueid, new Set([...(halves.get(uniqueid) ?? []), half]))
  if (half && halves.get(uniqueid)?.size !== 2) return
  accepted.add(uniqueid)
  versions.set(uniqueid, new Set([...(versions.get(uniqueid) ?? []), length]))
  if (length > 0) answered.add(uniqueid)
}

interface Handled {
  readonly batchItemFailures: readonly { readonly itemIdentifier: string }[]
}

/** Lambda's event source: a batch, or a message for each of several functions. What failed comes again. */
export function consumes(
  who: string,
  queue: SimulatedQueue,
  { draws }: Simulated,
  most: number,
  handler: (event: never) => Promise<Handled>,
): Deed | undefined {
  const batch = queue.receive(most, draws)
  if (batch.length === 0) return undefined
  const Records = batch.map(({ id, body, received }) => ({
    messageId: id,
    receiptHandle: id,
    body,
    attributes: { ApproximateReceiveCount: String(received) },
  }))
  const batches = draws.onceIn(3) ? Records.map((one) => [one]) : [Records]
  const handleAll = async (): Promise<Handled> => {
    const answers = await Promise.all(batches.map((some) => handler({ Records: some } as never)))
    return { batchItemFailures: answers.flatMap(({ batchItemFailures }) => batchItemFailures) }
  }
  return {
    who,
    what: `takes ${batch.map(({ id }) => id).join(', ')}${batches.length > 1 ? ', each apart' : ''}`,
    work: handleAll,
    ended: (ending) => {
      const answer = doneOf<Handled>(ending)
      if (!answer) return
      const kept = new Set(answer.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier))
      for (const message of batch) {
        // SQS delivers at least once: a message comes again although it was deleted.
        const comesAgain = draws.onceIn(12)
        if (!kept.has(message.id) && !comesAgain) queue.remove(message)
      }
    },
  }
}

export const consumeRecords: Acts = (scene) => {
  const { services, records } = scene.installation
  const handler = queueConsumer(services)
  return consumes('consumer', records, scene, 1 + scene.draws.below(3), (event) => handler(event))
}

// Call control

/** Only they have every call authorised: their money never falls below nothing. */
const PREPAID = [
  ['paul', PAUL],
  ['carol', CAROL],
] as const

export const control = (request: Request, path: string, scene: Simulated) => {
  const endpoint = (path === 'authorize' ? authorizeEndpoint : releaseEndpoint)(scene.installation.services)
  return endpoint(anEvent({ path: `/calls/${path}`, ...request }), aContext(30_000))
}

export const controlBody = (scene: Simulated, parameters: Readonly<Record<string, string>>): Request => ({
  body: new URLSearchParams(parameters).toString(),
  headers: { authorization: scene.installation.authorization.get('fs1') ?? '' },
})

/** Now and then two calls of one customer at the same moment: the second one may find nothing left. */
export const authorizeCall: Acts = (scene) => asksFor(scene, scene.draws.onceIn(2) ? 2 : 1)

export function asksFor(scene: Simulated, count: number): Deed {
  const { draws, book } = scene
  const [account, userId] = draws.one(PREPAID)
  const asked = Array.from({ length: count }, (): AskedCall => {
    const n = book.next++
    const dst = numberUnder(draws, draws.one(['44', '4477', '370']))
    return { uniqueid: `a${n}`, account, userId, start: seconds(scene), src: sourceOf(userId, n), dst }
  })
  const requestOf = ({ uniqueid, dst }: AskedCall) =>
    controlBody(scene, { call: uniqueid, dst, account_code: account })
  return {
    who: 'fs1',
    what: `asks for ${asked.map(({ uniqueid, dst }) => `${uniqueid} to ${dst.slice(0, 4)}`).join(', ')} of ${account}`,
    work: () => Promise.all(asked.map((call) => control(requestOf(call), 'authorize', scene))),
    ended: (ending) => {
      for (const [index, answer] of (doneOf<APIGatewayProxyResult[]>(ending) ?? []).entries())
        noteDecision(scene, asked[index] as AskedCall, answer)
    },
  }
}

type AskedCall = Omit<SentCall, 'source' | 'lengths'>

/** An allowed call lasts for some of its seconds, or all; one in five is not answered. */
function noteDecision({ draws, book }: Simulated, call: AskedCall, answer: APIGatewayProxyResult): void {
  const decided = answer.statusCode === 200 ? JSON.parse(answer.body) : {}
  if (decided.allow === false) book.refused.add(call.uniqueid)
  if (!decided.allow) return
  const granted = Number(decided.seconds)
  const length = draws.onceIn(5) ? 0 : Math.min(granted, draws.onceIn(2) ? granted : 1 + draws.below(150))
  book.inProgress.add({ ...call, source: 'fs1', lengths: [length], granted, begun: call.start, length })
}

/** An unanswered call is released, or only its CDR comes. A call that has ended becomes a CDR. */
export const hangUp: Acts = (scene) => {
  const { draws, book } = scene
  const ended = [...book.inProgress].filter(
    ({ begun, length }) => begun + length + RINGING_SECONDS <= seconds(scene),
  )
  const call = ended[draws.below(ended.length)]
  if (!call) return undefined
  book.inProgress.delete(call)
  const list = outgoingOf(book, 'fs1')
  if (call.length > 0 || draws.onceIn(2)) {
    book.calls.set(call.uniqueid, call)
    list.push(...writtenDocuments(FORMATS.fs1, [call], draws))
    return sendDocument(scene, 'fs1', list)
  }
  const request = controlBody(scene, { call: call.uniqueid, account_code: call.account })
  return {
    who: 'fs1',
    what: `releases ${call.uniqueid}`,
    work: () => control(request, 'release', scene),
    ended: (ending) => {
      if (doneOf<APIGatewayProxyResult>(ending)?.statusCode === 200) return
      book.inProgress.add({ ...call, mayBeReleased: true })
    },
  }
}

export const fs1Sends: Acts = (scene) => sendDocument(scene, 'fs1', outgoingOf(scene.book, 'fs1'))

// The API's methods

export const callMethod = (scene: Simulated, method: Method, params: Readonly<Record<string, string>>) => {
  const body = new URLSearchParams(signedParameters(method, params, SIMULATED_KEY)).toString()
  return serve(method, scene.installation.services)(
    anEvent({ path: `/api/${method.name}`, body }),
    aContext(30_000),
  )
}

/** The text of an answer; `undefined` for a killed or failed function. */
export const answerTextOf = (ending: Ending<unknown>): string | undefined =>
  doneOf<APIGatewayProxyResult>(ending)?.body

export const isUnclear = (text: string | undefined): boolean =>
  text === undefined || /<error>(Internal error|Try again|The outcome is unknown)/.test(text)

export const makesDevice: Acts = (scene) => {
  const [u, user] = scene.draws.one([
    ['admin', '10'],
    ['bob', '10'],
    ['rick', '20'],
    ['trudy', '30'],
  ] as const)
  const params = { u, user_id: user, description: `d${scene.book.next++}` }
  return {
    who: u,
    what: `creates a device of ${user}`,
    work: () => callMethod(scene, deviceCreate, params),
    ended: (ending) => {
      const [, id, extension = ''] = /<id>(\d+)<.*<username>(\d+)</s.exec(answerTextOf(ending) ?? '') ?? []
      if (id !== undefined) scene.book.devices.push({ id: Number(id), userId: Number(user), extension })
    },
  }
}

export const dropsDevice: Acts = (scene) => {
  const device = scene.book.devices[scene.draws.below(scene.book.devices.length)]
  if (!device) return undefined
  return {
    who: 'admin',
    what: `deletes the device ${device.id}`,
    work: () => callMethod(scene, deviceDelete, { u: 'admin', device: String(device.id) }),
    ended: (ending) => {
      const text = answerTextOf(ending)
      if (text?.includes('deleted')) device.deleted = 'done'
      else if (isUnclear(text)) device.deleted ??= 'unknown'
    },
  }
}

export const changeDetails: Acts = (scene) => {
  const params = {
    u: 'admin',
    user_id: String(scene.draws.one([BOB, DAVE])),
    first_name: `N${scene.book.next++}`,
  }
  return {
    who: 'admin',
    what: `renames ${params.user_id}`,
    work: () => callMethod(scene, userDetailsUpdate, params),
  }
}

// Money

/** A prepaid customer has never much. */
const amountFor = (draws: Draws, userId: number): string =>
  userId === PAUL || userId === CAROL ? `0.${10 + draws.below(90)}` : amountBelow(draws, 9)

const amountBelow = (draws: Draws, most: number): string => `${1 + draws.below(most)}.${10 + draws.below(90)}`

/** Notes what a payment has become: it may be repeated with the same reference. */
export function notePaid(scene: Simulated, reference: string, paid: { userId: number; amount: string }) {
  const known = scene.book.payments.find((one) => one.reference === reference)
  if (known) return known
  const noted: Book['payments'][number] = { reference, ...paid, known: 'unknown' }
  scene.book.payments.push(noted)
  return noted
}

/** `payment_create` of a portal, which repeats it until it is answered. */
export const paysByApi: Acts = (scene) => {
  const { draws, book } = scene
  const open = book.payments.filter(
    ({ reference, known }) => reference.startsWith('P') && known === 'unknown',
  )
  const again = open[draws.below(open.length)]
  const userId = again?.userId ?? draws.one([BOB, PAUL, CAROL, DAVE])
  const amount = again?.amount ?? amountFor(draws, userId)
  const transaction = again?.reference ?? `P${book.next++}`
  const paid = notePaid(scene, transaction, { userId, amount })
  const params = {
    u: usernameOfSeller(userId),
    ...{
      user_id: String(userId),
      p_currency: 'EUR',
      paymenttype: 'card',
      tax_in_amount: '',
      amount,
      transaction,
    },
    payer_email: 'a@b.c',
  }
  return {
    who: 'portal',
    what: `pays ${amount} of ${userId} as ${transaction}`,
    work: () => callMethod(scene, paymentCreate, params),
    ended: (ending) => {
      const [, id] = /<payment_id>(\d+)</.exec(answerTextOf(ending) ?? '') ?? []
      if (id !== undefined) Object.assign(paid, { id: Number(id), known: 'done' })
    },
  }
}

/** Terminal and console carry out the same act, in turn. */
export const recordsPayment: Acts = (scene) => {
  const { draws, book } = scene
  const userId = draws.one([BOB, PAUL, CAROL, DAVE, RICK, TRUDY, TRUDY])
  const amount = amountFor(draws, userId)
  const turn = book.next++
  const reference = `R${turn}`
  const as = usernameOfSeller(userId)
  const given = { customer: String(userId), amount, reference, again: 'yes' }
  const isHttp = draws.onceIn(2)
  const posted = { verb: 'POST', path: '/payments', headers: { 'Idempotency-Key': reference } } as const
  const asksOnce = () => askConsole(scene, consolePayments, posted, as, given)
  return {
    who: as,
    what: `records ${amount} of ${userId} as ${reference} ${isHttp ? 'in the console' : 'at the terminal'}`,
    work: async () => {
      if (!isHttp) return carries(scene, recordPayment, as, { ...given, customer: nameOf(userId) })
      // A browser repeats what is not answered, while the first attempt may be under way.
      const answers = await Promise.all(turn % 3 === 0 ? [asksOnce(), asksOnce()] : [asksOnce()])
      return answers.find(({ statusCode }) => statusCode === 200) ?? answers[0]
    },
    ended: (ending) => {
      const id = idInAnswer(ending)
      if (isRefused(ending)) return
      const paid = notePaid(scene, reference, { userId, amount })
      if (id !== undefined) Object.assign(paid, { id, known: 'done' satisfies Certainty })
    },
  }
}

const SELLERS_BELOW: Readonly<Record<number, string>> = { [RICK]: 'rick', [MALLORY]: 'mallory' }

/** The username of the seller of a customer. */
export const usernameOfSeller = (userId: number): string => SELLERS_BELOW[OWNER_OF[userId] ?? 0] ?? 'admin'

export const nameOf = (id: number): string =>
  ACCOUNTS.find((one) => one.id === String(id))?.['username'] ?? String(id)

/** The id in the answer of an act, whichever mouth it came from. */
export function idInAnswer(ending: Ending<unknown>): number | undefined {
  const done = doneOf<{ answer?: { id: number }; statusCode?: number; body?: string }>(ending)
  if (done?.answer) return done.answer.id
  if (done?.statusCode !== 200) return undefined
  const { payment } = JSON.parse(done.body ?? '{}')
  return payment?.id
}

/** What somebody who is signed in asks of the console. The values in the path are named in braces. */
export function askConsole(
  scene: Simulated,
  resource: Resource,
  { verb, path, headers = {} }: Pick<Operation, 'verb' | 'path'> & { readonly headers?: object | undefined },
  as: string,
  values: Readonly<Record<string, string>>,
) {
  const { cookies, services } = scene.installation
  const inPath = Object.entries(values).filter(([name]) => path.includes(`{${name}}`))
  const rest = Object.entries(values).filter(([name]) => !path.includes(`{${name}}`))
  const sent = verb === 'GET' ? { query: rest } : { body: JSON.stringify(Object.fromEntries(rest)) }
  const cookie = cookies.get(as)
  const event = anEvent({
    ...{ method: verb, path: `/console/api${path}`, pathParameters: Object.fromEntries(inPath), ...sent },
    headers: {
      ...(cookie !== undefined && { Cookie: cookie }),
      ...{ 'Content-Type': 'application/json', 'X-Tollgate-Console': '1', ...headers },
    },
  })
  return serveResource(resource, services)({ ...event, resource: `/console/api${path}` }, aContext(30_000))
}

export const postToConsole = (
  scene: Simulated,
  resource: Resource,
  as: string,
  path: string,
  values: Readonly<Record<string, string>>,
) => askConsole(scene, resource, { verb: 'POST', path }, as, values)

/** Prepaid customers keep their money: their payments are never taken back. */
export const takesBack: Acts = (scene) => {
  const { draws, book } = scene
  const open = book.payments.filter(
    ({ id, userId, takenBack }) =>
      id !== undefined && (takenBack !== 'done' || draws.onceIn(3)) && (userId === BOB || userId === DAVE),
  )
  const paid = open[draws.below(open.length)]
  if (!paid) return undefined
  const as = usernameOfSeller(paid.userId)
  return {
    who: as,
    what: `takes payment ${paid.id} back`,
    work: () => carries(scene, takeBackPayment, as, { payment: String(paid.id), why: 'Returned' }),
    ended: (ending) => {
      if (isRefused(ending)) return
      paid.takenBack = doneOf(ending) || paid.takenBack === 'done' ? 'done' : 'unknown'
    },
  }
}

export const adjusts: Acts = (scene) => {
  const { draws, book } = scene
  const userId = draws.one([BOB, DAVE, PAUL])
  const amount = userId !== PAUL && draws.onceIn(2) ? `-${amountBelow(draws, 4)}` : amountFor(draws, userId)
  const why = `Because ${book.next++}`
  const as = usernameOfSeller(userId)
  return {
    who: as,
    what: `adjusts ${userId} by ${amount}`,
    work: () => carries(scene, adjustBalance, as, { customer: nameOf(userId), amount, why, again: 'yes' }),
    ended: (ending) => {
      if (isRefused(ending)) return
      book.adjusted.push({ why, userId, amount, known: doneOf(ending) ? 'done' : 'unknown' })
    },
  }
}

/** The oldest month of a seller that is over and not issued; the last one again if all are. */
export const issuesMonth: Acts = (scene) => issueOf(scene, scene.draws.one(SELLERS))

/** The operator, and Rick. */
export const SELLERS = ['', 'rick'] as const

export function issueOf(
  scene: Simulated,
  seller: (typeof SELLERS)[number],
  customer?: string,
): Deed | undefined {
  const { book } = scene
  const over = monthsBefore(now(scene))
  const month = over.find((one) => !book.months.has(`${seller} ${one}`)) ?? over.at(-1)
  if (month === undefined) return undefined
  const wanted = { month, seller: seller || undefined, customer, 'despite-suspense': 'yes' }
  return {
    who: seller || 'admin',
    what: `issues ${month}${customer === undefined ? '' : ` of ${customer}`}`,
    work: () => carries(scene, issueMonth, 'admin', wanted),
    ended: (ending) => {
      const billed = doneOf<ActOutcome<MonthOfCustomers>>(ending)?.answer.customers
      if (customer === undefined && billed?.every(({ outcome }) => outcome !== 'refused'))
        book.months.add(`${seller} ${month}`)
    },
  }
}

/** The months that are over, from the first one that is billed. */
export function monthsBefore(moment: Date): string[] {
  const [last = ''] = moment.toISOString().split('-', 1)
  const until = moment.toISOString().slice(0, 7)
  const months = Array.from({ length: 24 }, (_, index) =>
    new Date(Date.UTC(Number(last) - 1, index, 1)).toISOString().slice(0, 7),
  )
  return months.filter((month) => month >= SIMULATED_FROM.slice(0, 7) && month < until)
}

// The clock's work

const hourly =
  (who: string, work: (scene: Simulated) => Promise<unknown>): Acts =>
  (scene) => ({
    who,
    what: 'runs',
    work: () => work(scene),
  })

/** Bob's money falls through one threshold after the other, while the relay takes what the first one told. */
export const fallsWhileRelayed: Acts = (scene) => {
  const { installation, book } = scene
  const n = book.next++
  const fall = async () => {
    const store = installation.store()
    for (const [index, wanted] of [70, 40, 10].entries()) {
      const found = await findBalance(store, BOB)
      const amount = (wanted - Number(found ? totalOf(found.balance) : 0)).toFixed(2)
      const why = `Fall ${n}.${index}`
      if (Number(amount) === 0) continue
      await carries(scene, adjustBalance, 'admin', { customer: 'bob', amount, why, again: 'yes' }, store)
    }
  }
  const relay = relays(scene)?.work
  const relayUntil = async (fallen: Promise<unknown>) => {
    let isOver = false
    const end = () => {
      isOver = true
    }
    fallen.then(end, end)
    while (!isOver) await relay?.()
  }
  return {
    who: 'admin',
    what: 'adjusts bob to 70, 40 and 10 while the relay runs',
    work: () => {
      const fallen = fall()
      return Promise.all([fallen, relayUntil(fallen)])
    },
  }
}

export const makesCharges = hourly('charge_subscriptions', ({ installation }) =>
  hourlyCharges(installation.services)(),
)

export const allocates = hourly('allocate_payments', ({ installation }) =>
  hourlyAllocations(installation.services)(),
)

export const sumsUp = hourly('sum_up_days', ({ installation }) =>
  hourlySums(installation.services)(undefined, aContext()),
)

export const archives = hourly('archive_calls', ({ installation: { services, bucket } }) =>
  archiver({ ...services, bucket })(undefined, aContext()),
)

export const retries = hourly('retry', async ({ installation }) => {
  const mediation = await openMediation(installation.store(), new Date())
  return retryBatches(mediation, { reasons: REASONS, after: '' }, () => true)
})

export const addsZoe: Acts = (scene) => {
  if (scene.book.hasZoe) return undefined
  return {
    who: 'admin',
    what: 'imports the account zoe',
    work: () =>
      importRows({ store: scene.installation.store(), clock: () => new Date() }, { users: [ACCOUNT_OF_ZOE] }),
    ended: (ending) => {
      scene.book.hasZoe ||= ending !== 'killed' && 'done' in ending
    },
  }
}

/** The settings that may change while the installation runs. */
const CHANGED_SETTINGS = [
  ['Calls_Keep_Days', '4'],
  ['Calls_Keep_Days', '12'],
  ['Payment_Days', '14'],
  ['Late_Months', '5'],
  ['Reserve_Seconds', '600'],
  ['Reserve_Seconds', '1800'],
  ['Allocate_Payments', 'off'],
  ['Allocate_Payments', 'oldest'],
  ['Invoice_Number_Format', 'A-{n}'],
  ['Invoice_Number_Format', 'B/{n}'],
] as const

export const changesSettings: Acts = (scene) => {
  const [name, value] = scene.draws.one(CHANGED_SETTINGS)
  return {
    who: 'admin',
    what: `sets ${name} to ${value}`,
    work: () =>
      carryOutAs(scene.installation.store(), setSetting, { as: 'admin', now: new Date() }, { name, value }),
  }
}

// Webhooks

/** Mallory's does not answer once it has echoed its challenge. */
export const ENDPOINTS = [
  { owner: 0, url: 'https://hooks.example.com/admin' },
  { owner: RICK, url: 'https://hooks.example.org/rick' },
  { owner: MALLORY, url: SILENT_URL },
] as const

export const addEndpoints = async ({ eye, secrets }: SimulatedInstallation): Promise<void> => {
  const events = Object.keys(EVENT_TYPES) as EventType[]
  for (const one of ENDPOINTS) {
    const allowed = one.owner === 0 ? events : events.filter((name) => name !== 'suspense.grown')
    const { secret } = await anEndpoint({ store: eye, now: new Date() }, { ...one, events: allowed })
    secrets.set(one.url, secret)
  }
}

export const relays: Acts = (scene) => ({
  who: 'relay_events',
  what: 'runs',
  work: () => {
    const send = (messages: readonly object[]) =>
      scene.installation.webhooks.send(messages.map((one) => JSON.stringify(one)))
    return relayEvents(scene.installation.store(), send, () => new Date())
  },
})

/** The run does not wait until the queue gives up what Mallory's endpoint does not answer. */
export const isGivenUp = ({ body }: { readonly body: string }): boolean =>
  JSON.parse(body).owner === MALLORY && !body.includes('challenge')

export const sendsWebhooks: Acts = (scene) => {
  const { services, webhooks, post } = scene.installation
  for (const message of webhooks.messages) if (message.received >= MOST_TRIES) webhooks.remove(message)
  const handler = webhookSender({ ...services, post, hide: webhooks.hide, isLocal: false })
  return consumes('send_webhooks', webhooks, scene, 3, (event) => handler(event))
}
