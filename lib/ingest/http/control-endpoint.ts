import { randomBytes } from 'node:crypto'
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda'
import { findPayers } from '#lib/accounts/limits.ts'
import { isWantedByAnybody, notifyMarked } from '#lib/alerts/event.ts'
import { ApiError, httpRefusal } from '#lib/api/errors.ts'
import { HEADERS_OF_EVERY_ANSWER, headerOf } from '#lib/api/headers.ts'
import { requestIds } from '#lib/api/request-context.ts'
import { secondsOf } from '#lib/base/calendar.ts'
import { hexDigest } from '#lib/base/digest.ts'
import { fixed, isZero } from '#lib/base/money.ts'
import { type AccountCodes, CALL_OWNER_HINTS, isLookupName } from '#lib/base/switch-names.ts'
import { arrivalOrder, type MediationContext, newVersion } from '#lib/cdrs/mediation.ts'
import { resolveRows } from '#lib/cdrs/resolve.ts'
import { authorize, type CallVerdict, longestCall } from '#lib/control/authorize.ts'
import { holdName, holdsKey } from '#lib/control/holds.ts'
import { hangupMargin } from '#lib/control/plan.ts'
import { release } from '#lib/control/settle.ts'
import { claimKey } from '#lib/devices/dialled.ts'
import { isExtension } from '#lib/devices/extension.ts'
import { createMemory, REMEMBERED_MS, rememberingReader } from '#lib/settings/recent-items.ts'
import { settingsKey, settingsOf } from '#lib/settings/stored-settings.ts'
import { createSwitchClocks } from '#lib/settings/switch-clock.ts'
import { beginInvocation } from '#lib/table/invocation.ts'
import type { Item } from '#lib/table/items.ts'
import { accountKey, type Key, tariffKey } from '#lib/table/keys.ts'
import { createMeter, OutOfTime, REPETITIONS_OF_A_REQUEST, timeLimit } from '#lib/table/requests/meter.ts'
import { TooMuchContention } from '#lib/table/requests/retries.ts'
import { lambdaTableServices, type Store, type TableServices } from '#lib/table/store.ts'
import {
  admitIntake,
  INTAKE_REFUSALS,
  type IntakeRefusal,
  isCompressed,
  keysOfIntake,
  senderLimit,
} from './admit-intake.ts'
import {
  type ControlRequest,
  cdrOf,
  parametersIn,
  requestIn,
  secondsAhead,
  wantsText,
} from './control-request.ts'
import { createReadAhead, type StoreAhead } from './read-ahead.ts'

/** Lists that the memory of a process holds. A page of rates has 8 KB. */
const MAX_LISTS = 500

/** Holds are read before money and counters: these are read when they are needed, and never ahead. */
const isMoney = ({ PK }: Key): boolean => /^(?:BALANCE|STATS)#/.test(PK)

/** An account has no holds before its first call. */
const isOfHolds = ({ PK }: Key): boolean => PK.startsWith('HOLDS#')

/**
 * A store for decisions that must be quick: what it has read may be a second old, except money and holds. A
 * missing item is not remembered, so a new account or device can call at once.
 */
function rememberingLookups(clock: () => Date): (store: Store) => Store {
  const readItems = rememberingReader(clock)
  const lists = createMemory<string, readonly Item[]>(REMEMBERED_MS, MAX_LISTS)

  return (store) => {
    const getMany: Store['getMany'] = (keys) =>
      readItems(
        store,
        keys.map((key) => ({ key, mayBeRecent: !(isMoney(key) || isOfHolds(key)) })),
      )
    const remembered = async (name: string, read: () => Promise<readonly Item[]>) => {
      const now = clock().getTime()
      const known = lists.find(name, now)
      if (known) return known
      const found = await read()
      lists.keep(name, found, now)
      return found
    }
    return {
      ...store,
      getMany,
      get: async (key) => (await getMany([key]))[0],
      list: async (query) => [...(await remembered(JSON.stringify(query), () => store.list(query)))],
      firstPage: (query) => remembered(`first ${JSON.stringify(query)}`, () => store.firstPage(query)),
    }
  }
}

type Endpoint = (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>

/** A call waits for the answer. */
const DECISION_MS = 400

/** The time that is left for the answer. */
const ANSWER_RESERVE_MS = 100

/** The answer to a request: its body as JSON and as text, or the reason why it is refused. */
interface Answer {
  readonly outcome: keyof typeof ANSWERS
  readonly json?: object
  readonly text?: string
  /** For the log. */
  readonly intake?: string
  readonly reason?: string
}

/** Those without words have a reason. */
const ANSWERS = {
  ...INTAKE_REFUSALS,
  decided: { status: 200 },
  bad_request: { status: 400 },
  off: { status: 404, words: 'Call_Control is off' },
  over: { status: 409, words: 'The seconds of this call are over, or a later request has its hold' },
  too_large: { status: 413 },
  undecided: { status: 503, words: 'Not decided in time' },
} as const satisfies Readonly<Record<string, IntakeRefusal>>

const OVER_LIMIT: Answer = { outcome: 'over_limit' }

/** A request whose switch is known. */
interface Admitted {
  readonly mediation: MediationContext
  readonly now: Date
  /** The name of the switch, which is the source of its CDRs. */
  readonly source: string
  /** The kind of its account codes. */
  readonly codes: AccountCodes | undefined
}

/** A path of call control. */
interface Route {
  readonly name: string
  /** The parameters that must not be blank, and whether the moment may be long ago. */
  readonly expected: Parameters<typeof requestIn>[2]
  readonly handle: (admitted: Admitted, request: ControlRequest) => Promise<Answer>
}

/**
 * `POST /calls/authorize`: answers whether a call may begin and how long it may last (docs/call-control.md).
 * All that it looks up may be a second old, except money and holds.
 */
export const authorizeEndpoint = (services?: TableServices, withinMs?: number): Endpoint =>
  controlEndpoint(
    {
      name: 'authorize_call',
      expected: { needed: ['call', 'dst'], mayBeLate: false },
      handle: authorizeCall,
    },
    services,
    withinMs,
  )

/** `POST /calls/release`: gives back the money of a call that was not answered. */
export const releaseEndpoint = (services?: TableServices, withinMs?: number): Endpoint =>
  controlEndpoint(
    { name: 'release_call', expected: { needed: ['call'], mayBeLate: true }, handle: releaseCall },
    services,
    withinMs,
  )

function controlEndpoint(
  { name, expected, handle }: Route,
  services: TableServices = lambdaTableServices(),
  withinMs = DECISION_MS,
): Endpoint {
  const recent = rememberingLookups(services.clock)
  const readAhead = createReadAhead({
    isRepeated: (key, found) => (found !== undefined && !isMoney(key)) || isOfHolds(key),
    leadsTo: keysOfPayer,
  })
  const noteClock = createSwitchClocks()
  const isWithinLimit = senderLimit()
  return async (event, context) => {
    const time = timeLimit(Math.min(withinMs, context.getRemainingTimeInMillis() - ANSWER_RESERVE_MS))
    const meter = createMeter({ repetitions: REPETITIONS_OF_A_REQUEST, time })
    const { store, startedAt, writeLine } = beginInvocation(services, meter)
    const { values, refusal } = parsed(event)
    const answered = async (): Promise<Answer> => {
      const claims = { further: dialledIn(values, expected), first: devicesIn(values) }
      const ahead = readAhead(recent(store), senderOf(event, values), startedAt, claims)
      const admitted = await admit(event, ahead, startedAt)
      if ('outcome' in admitted) return admitted
      const { source: intake } = admitted
      if (refusal) return { intake, ...refusal }
      const clockAhead = expected.mayBeLate ? undefined : secondsAhead(values, startedAt)
      if (clockAhead !== undefined) await noteClock(store, intake, clockAhead, secondsOf(startedAt))
      const request = requestIn(values, startedAt, expected)
      const answer = await handle(admitted, request)
      ahead.end()
      return { intake, ...answer }
    }
    const answer = isWithinLimit(event, startedAt) ? await answered().catch(refusalOf) : OVER_LIMIT
    time.stop()
    const { json: _json, text: _text, ...line } = answer
    writeLine({ function: name, ...line, ...requestIds(event, context) })
    return resultOf(answer, wantsText(event, values))
  }
}

/** The parameters, or why they are refused: an unknown sender gets fewer details. */
function parsed(event: APIGatewayProxyEvent): { values: ReadonlyMap<string, string>; refusal?: Answer } {
  try {
    return { values: parametersIn(event) }
  } catch (error) {
    return { values: new Map(), refusal: refusalOf(error) }
  }
}

/** Without a decision in time, the switch decides by its own policy. */
const refusalOf = (error: unknown): Answer =>
  error instanceof ApiError
    ? {
        outcome: error.status === TOO_LARGE ? 'too_large' : 'bad_request',
        reason: error.reason ?? error.message,
      }
    : { outcome: 'undecided', reason: reasonOf(error) }

const TOO_LARGE = 413

const reasonOf = (error: unknown): string =>
  error instanceof OutOfTime || error instanceof TooMuchContention ? error.message : String(error)

/** Tells requests with one secret about one payer: they read the same items. */
const senderOf = (event: APIGatewayProxyEvent, values: ReadonlyMap<string, string>): string =>
  hexDigest(
    JSON.stringify([
      headerOf(event, 'authorization'),
      ...['provider', ...CALL_OWNER_HINTS].map((name) => values.get(name)),
    ]),
  )

/** The owner, the holds and the tariff of an account that pays for calls. */
function keysOfPayer({ SK, id, owner_id, tariff_id }: Item): Key[] {
  if (SK !== accountKey(0).SK || id === owner_id) return []
  return [accountKey(Number(owner_id)), holdsKey(Number(id)), tariffKey(Number(tariff_id))]
}

/** The claims of the words that name the calling device. */
const devicesIn = (values: ReadonlyMap<string, string>): Key[] =>
  ['device', 'sip_user']
    .map((name) => values.get(name) ?? '')
    .filter(isLookupName)
    .map(claimKey)

/** A number that a route needs may be that of a device. */
function dialledIn(values: ReadonlyMap<string, string>, { needed }: Route['expected']): Key[] {
  const dialled = needed.includes('dst') ? (values.get('dst') ?? '') : ''
  return isExtension(dialled) && isLookupName(dialled) ? [claimKey(dialled)] : []
}

async function admit(
  event: APIGatewayProxyEvent,
  { store, begin }: StoreAhead,
  now: Date,
): Promise<Admitted | Answer> {
  if (event.httpMethod !== 'POST') return { outcome: 'wrong_verb' }
  if (isCompressed(event)) return { outcome: 'compressed' }
  // A function that has just started reads both with one request, and remembers them.
  await begin([settingsKey, ...keysOfIntake(event)])
  const settings = await settingsOf(store)
  if (!settings.Call_Control) return { outcome: 'off' }
  const intake = await admitIntake(event, store, now)
  if (typeof intake === 'string') return { outcome: intake }
  const order = arrivalOrder(now)
  return {
    mediation: { store, settings, now: secondsOf(now), order },
    now,
    source: intake.name,
    codes: intake.codes,
  }
}

function resultOf({ outcome, json, text, reason }: Answer, isText: boolean): APIGatewayProxyResult {
  const { status, words = reason ?? '', headers }: IntakeRefusal = ANSWERS[outcome]
  return {
    statusCode: status,
    headers: {
      'Content-Type': isText ? 'text/plain; charset=utf-8' : 'application/json; charset=utf-8',
      ...HEADERS_OF_EVERY_ANSWER,
      ...headers,
    },
    body: isText ? (text ?? words) : JSON.stringify(json ?? { error: words }),
  }
}

/** The call with its customer and provider, as mediation finds them of its CDR. */
async function versionOf({ mediation, source, codes }: Admitted, request: ControlRequest) {
  const version = newVersion({ source, cdr: cdrOf(request, codes), idNames: 'call' })
  const [resolved = version] = await resolveRows(mediation, [version])
  return resolved
}

async function authorizeCall(admitted: Admitted, request: ControlRequest): Promise<Answer> {
  const { mediation, now } = admitted
  const { store, settings } = mediation
  const cap = Math.min(request.seconds ?? Number.POSITIVE_INFINITY, longestCall(settings))
  if (cap <= hangupMargin(settings)) throw httpRefusal('bad_request', TOO_SHORT)
  const { row, resolved } = await versionOf(admitted, request)
  const problem = 'reason' in resolved ? resolved : undefined
  const verdict = await authorize(
    store,
    {
      row: 'reason' in resolved ? row : resolved,
      isUnknown: problem?.reason === 'unknown_account' || problem?.reason === 'ambiguous_account',
      isUnstorable: problem !== undefined,
    },
    { name: holdName(row), at: request.at, now, cap, nonce: newNonce(), settings },
  )
  if (verdict !== 'over' && !verdict.allow && !('reason' in resolved))
    await notifyRefused(admitted, resolved.user_id, verdict.reason)
  return answerOf(verdict, request.call)
}

/** At most once a minute for an account. Nothing is read without subscribers. */
async function notifyRefused({ mediation, now }: Admitted, id: number, reason: string): Promise<void> {
  const { store, settings } = mediation
  if (!isWantedByAnybody(settings, ['call.refused'])) return
  const [account] = await findPayers(store, [id])
  if (!account) return
  const { owner_id: owner } = account
  const minute = Math.floor(now.getTime() / MINUTE_MS)
  const data = { account: id, owner, reason }
  const event = { type: 'call.refused', owner, at: now, subject: `${id} ${minute}`, data } as const
  await notifyMarked(store, settings, { subject: id, mark: 'refused_minute', value: minute, event })
}

const MINUTE_MS = 60_000

const TOO_SHORT = 'seconds takes a whole number above Hangup_Margin_Seconds'

/** Tells copies of a request apart. Each hold has one: 16 holds fit into 1 KB, one write unit. */
const NONCE_BYTES = 2

const newNonce = (): string => randomBytes(NONCE_BYTES).toString('base64url')

function answerOf(verdict: CallVerdict, call: string): Answer {
  if (verdict === 'over') return { outcome: 'over' }
  if (!verdict.allow) {
    const { reason } = verdict
    return { outcome: 'decided', reason, json: verdict, text: `0 ${reason}` }
  }
  const { allow, ...rest } = verdict
  return { outcome: 'decided', json: { allow, call, ...rest }, text: String(verdict.seconds) }
}

async function releaseCall(admitted: Admitted, request: ControlRequest): Promise<Answer> {
  const { store } = admitted.mediation
  const { row, resolved } = await versionOf(admitted, request)
  if ('reason' in resolved) return released('0')
  const [account] = await findPayers(store, [resolved.user_id])
  if (!account) return released('0')
  const payers = [...new Set([account.id, account.owner_id])]
  const amounts = await Promise.all(payers.map((id) => release(store, id, holdName(row), request.at)))
  return released(amounts[0] ?? '0')
}

function released(amount: string): Answer {
  const text = isZero(amount) ? '0' : fixed(amount, 6)
  return { outcome: 'decided', json: { released: text }, text }
}
