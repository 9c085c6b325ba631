import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda'
import { DAY_SECONDS, secondsOf } from '#lib/base/calendar.ts'
import type { Settings } from '#lib/settings/settings.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import { beginInvocation } from '#lib/table/invocation.ts'
import type { Store, TableServices } from '#lib/table/store.ts'
import { noteDelivery, type WebhookDelivery } from './delivery.ts'
import {
  changeEndpoint,
  consentingEndpoint,
  disabledEndpoint,
  type Endpoint,
  findEndpoint,
  mayBeOnThisMachine,
  noteFailing,
  receives,
  signingSecrets,
  takeTry,
} from './endpoint.ts'
import type { AlertEvent } from './event.ts'
import { CHALLENGE_EVENT, TEST_EVENT } from './event-types.ts'
import { isMailUrl, MAILS_ARE_OFF, type Mail, type SendMail } from './mail.ts'
import type { PostOutcome, PostWebhook } from './post.ts'
import { signedHeaders } from './signature.ts'

export interface WebhookMessage {
  readonly endpoint: string
  readonly owner: number
  /** When it went to the queue, in milliseconds. */
  readonly at: number
  readonly event: AlertEvent
  /** For an endpoint that gets mails. */
  readonly mail?: Mail
}

/** Hides a message that was received, so that it comes again after these seconds: 12 hours at most (SQS). */
export type HideMessage = (receipt: string, seconds: number) => Promise<unknown>

/** `isLocal` admits endpoints on this machine where a setting allows them. */
export interface SenderServices extends TableServices {
  readonly post: PostWebhook
  /** Missing where no mails are sent. */
  readonly mail?: SendMail
  readonly hide: HideMessage
  readonly isLocal: boolean
}

/**
 * The waits after the first tries, in seconds: with 8 tries they are 28 hours together, as Standard Webhooks
 * proposes. The queue moves a message to its dead letters after the last one.
 */
export const WAITS_SECONDS: readonly number[] = [5, 300, 1800, 7200, 18_000, 36_000, 36_000]

export const MOST_TRIES = WAITS_SECONDS.length + 1

/** With nothing but failures for so long, an endpoint is disabled. */
const FAILING_SECONDS = 3 * DAY_SECONDS

/** The receiver says that it is gone. */
const GONE = 410

/**
 * Posts the events of a batch, each on its own. A message is deleted when its event is delivered or its
 * endpoint is gone or disabled. Others return after their wait, or when the queue shows a dead sender's.
 */
export const webhookSender =
  (services: SenderServices) =>
  async ({ Records }: SQSEvent): Promise<SQSBatchResponse> => {
    const { store, writeLine } = beginInvocation(services)
    const settings = services.isLocal ? await settingsOf(store) : NO_TESTS
    const outcomes = await Promise.all(
      Records.map((record) => tryMessage(record, store, { ...services, settings })),
    )
    const left = Records.filter((_, index) => outcomes[index] === 'waiting')
    const delivered = outcomes.filter((one) => one === 'delivered').length
    const counted = { messages: Records.length, delivered, left: left.length }
    writeLine({ function: 'send_webhooks', outcome: 'sent', ...counted })
    return { batchItemFailures: left.map(({ messageId }) => ({ itemIdentifier: messageId })) }
  }

type Outcome = WebhookDelivery['outcome']

type Trying = SenderServices & { readonly settings: Pick<Settings, 'Webhooks_On_This_Machine'> }

/** A deployed stage posts to public addresses only. */
const NO_TESTS = { Webhooks_On_This_Machine: false }

async function tryMessage(record: SQSRecord, store: Store, trying: Trying): Promise<Outcome> {
  try {
    return await tryOnce(record, store, trying)
  } catch (error) {
    // The table or the queue did not answer: the message comes again.
    trying.log({ message: record.messageId, outcome: 'failed', reason: String(error) })
    return 'waiting'
  }
}

async function tryOnce(record: SQSRecord, store: Store, trying: Trying): Promise<Outcome> {
  const message = JSON.parse(record.body) as WebhookMessage
  const endpoint = await findEndpoint(store, message.owner, message.endpoint)
  if (!endpoint) return 'failed'
  if (!receives(endpoint) && !isAsking(message.event)) {
    const at = trying.clock()
    const tried = {
      answer: endpoint.disabled ? DISABLED : WITHOUT_CONSENT,
      outcome: 'failed',
      tries: triesOf(record),
      at,
      till: at,
    } as const
    await noteTry(store, message, tried)
    return 'failed'
  }
  const isTaken =
    !trying.isLocal &&
    endpoint.failing_since !== undefined &&
    triesOf(record) < MOST_TRIES &&
    !isAsking(message.event) &&
    !(await takeTry(store, endpoint, secondsOf(trying.clock())))
  return isTaken
    ? waitAgain(record, trying)
    : tryEndpoint(record, store, trying, { ...message, to: endpoint })
}

/** While an endpoint fails, a message that comes during another try of it fails with that one. */
async function waitAgain(record: SQSRecord, trying: Trying): Promise<Outcome> {
  const wait = WAITS_SECONDS[triesOf(record) - 1]
  if (wait !== undefined) await trying.hide(record.receiptHandle, wait)
  return 'waiting'
}

const DISABLED = { error: 'the endpoint is disabled' }

const WITHOUT_CONSENT = { error: 'the endpoint has not echoed its challenge' }

const isAsking = ({ type }: AlertEvent): boolean => type === TEST_EVENT || type === CHALLENGE_EVENT

/** How often the message was received: a try of which the sender died counts, too. */
const triesOf = ({ attributes }: SQSRecord): number => Number(attributes.ApproximateReceiveCount)

async function tryEndpoint(
  record: SQSRecord,
  store: Store,
  trying: Trying,
  message: WebhookMessage & { readonly to: Endpoint },
): Promise<Outcome> {
  const tries = triesOf(record)
  const at = trying.clock()
  const answer = await deliver(message, trying)
  const till = trying.clock()
  const outcome = outcomeOf(answer, isGone(answer) || tries >= MOST_TRIES)
  await noteTry(store, message, { answer, outcome, tries, at, till })
  await noteHealth(store, message.to, answer, till)
  const wait = WAITS_SECONDS[tries - 1]
  if (outcome === 'waiting' && wait !== undefined) await trying.hide(record.receiptHandle, wait)
  // After the last try the message stays, so that the queue moves it to its dead letters.
  return outcome === 'failed' && !isGone(answer) ? 'waiting' : outcome
}

/** One try: its start, its end and its result. */
interface Tried extends Pick<WebhookDelivery, 'outcome' | 'tries'> {
  readonly at: Date
  readonly till: Date
  readonly answer: PostOutcome
}

function noteTry(store: Store, message: WebhookMessage, { at, till, answer, outcome, tries }: Tried) {
  const { endpoint, owner, event } = message
  const { id, type, body } = event
  const tried_at = at.toISOString()
  const milliseconds = till.getTime() - at.getTime()
  const tried = { outcome, tries, tried_at, milliseconds, answer: textOf(answer) }
  return noteDelivery(store, { endpoint, owner, at: message.at, id, type, body, ...tried }, till)
}

/** A mail never goes to an https address, nor an event to the address of a mail. */
const deliver = async ({ to, event, mail }: WebhookMessage & { readonly to: Endpoint }, trying: Trying) => {
  if (!isMailUrl(to.url)) return postEvent(to, event, trying)
  return (mail && (await trying.mail?.(mail))) ?? MAILS_ARE_OFF
}

async function postEvent(
  endpoint: Endpoint,
  { id, type, body }: AlertEvent,
  { post, clock, settings }: Trying,
): Promise<PostOutcome> {
  const at = secondsOf(clock())
  const headers = signedHeaders({ id, at, body }, signingSecrets(endpoint, at))
  const isTest = mayBeOnThisMachine(endpoint.owner, settings)
  const readsBody = type === CHALLENGE_EVENT && endpoint.challenge !== undefined
  const answer = await post({ url: endpoint.url, headers, body, isTest, readsBody })
  if (!readsBody || !isSuccess(answer)) return answer
  return 'body' in answer && answer.body?.trim() === endpoint.challenge ? answer : { error: NO_ECHO }
}

const NO_ECHO = 'the answer is not the challenge'

const isSuccess = (answer: PostOutcome): boolean =>
  'status' in answer && answer.status >= 200 && answer.status < 300

const isGone = (answer: PostOutcome): boolean => 'status' in answer && answer.status === GONE

function outcomeOf(answer: PostOutcome, isLast: boolean): Outcome {
  if (isSuccess(answer)) return 'delivered'
  return isLast ? 'failed' : 'waiting'
}

const textOf = (answer: PostOutcome): string => ('status' in answer ? String(answer.status) : answer.error)

/** Notes how long there were only failures. Disables an endpoint that is gone or fails for too long. */
async function noteHealth(store: Store, endpoint: Endpoint, answer: PostOutcome, now: Date): Promise<void> {
  const { failing_since } = endpoint
  if (isSuccess(answer)) {
    if ('body' in answer) await changeEndpoint(store, endpoint, consentingEndpoint)
    else if (failing_since !== undefined) await noteFailing(store, endpoint, undefined)
    return
  }
  const disable = (reason: string) => changeEndpoint(store, endpoint, disabledEndpoint(now, reason))
  if (isGone(answer)) await disable('it answered 410')
  else if (failing_since === undefined) await noteFailing(store, endpoint, secondsOf(now))
  else if (secondsOf(now) - failing_since >= FAILING_SECONDS && !endpoint.disabled)
    await disable(`nothing but failures for 3 days, last ${textOf(answer)}`)
}
