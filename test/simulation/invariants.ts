import { createHash } from 'node:crypto'
import { waitingIn } from '#lib/alerts/event.ts'
import { dayOf } from '#lib/base/calendar.ts'
import { type Call, identityName, isCall, readCall } from '#lib/calls/call.ts'
import { MATCHED_SECONDS } from '#lib/cdrs/mediation.ts'
import { holdName, readHold, readHolds } from '#lib/control/holds.ts'
import type { Item } from '#lib/table/items.ts'
import { table } from '#lib/table/table.ts'
import { counted, exact, referenceSums, withoutZeros } from '#test/plain-sums.ts'
import { findDamage } from '#tools/integrity/damage.ts'
import { ENDPOINTS, MOST_VERSIONS } from './actors.ts'
import type { Paid, SentCall } from './book.ts'
import { FILE_INVARIANTS } from './cast/files.ts'
import { MAIL_INVARIANTS } from './cast/mailroom.ts'
import { PAYERS_INVARIANTS } from './cast/payers.ts'
import {
  ACCOUNT_OF_ZOE,
  ACCOUNTS,
  CAROL,
  IMPORTED_NOTE,
  NEAR,
  NEAR_RATES,
  OWNER_OF,
  PAUL,
  RATES,
  RERATED,
  SIMULATED_FROM,
  TARIFF_OF,
} from './dataset.ts'
import { SILENT_URL } from './installation.ts'
import { LEDGER_INVARIANTS } from './ledger.ts'
import { OFFICE_INVARIANTS } from './office.ts'
import type { Invariant, SeenTable } from './seen.ts'
import { euro, leftOf, movedBy, THRESHOLD_INVARIANTS } from './thresholds.ts'

// Damage and sums

const keyOf = (item: Item): string => `${item['PK']} ${item['SK']}`

/**
 * The rules of `npx tollgate check-data`: counters, claims, pointers, pages, ids. They cost as much as all
 * requests between two looks, and damage stays: a third of the looks asks them, and the last one.
 */
const checkData: Invariant = ({ scene: { draws, installation, outside }, items, isClosed }) =>
  isClosed || draws.onceIn(3)
    ? Array.fromAsync(findDamage(installation.eye, [items], new Date(outside.now), installation.bucket))
    : []

/** The counters of calls, summed by plain numbers. Marks, partitions of lists and fences are no sums. */
function countersAreSums({ calls, items }: SeenTable): string[] {
  const owners = Object.fromEntries(
    [...ACCOUNTS, ACCOUNT_OF_ZOE].map(({ id }) => [id, String(OWNER_OF[Number(id)] ?? 0)]),
  )
  const rows = calls.map((call) => ({
    ...Object.fromEntries(Object.entries(call).map(([name, value]) => [name, String(value ?? '')])),
    calldate: call.day,
  }))
  const right = withoutZeros(referenceSums(owners, rows))
  const stored = withoutZeros(counted(items.map(({ late: _, parts: _of, charges: _on, ...item }) => item)))
  return [...new Set([...Object.keys(right), ...Object.keys(stored)])]
    .filter((name) => right[name] !== stored[name])
    .map((name) => `the counter ${name} is ${stored[name] ?? 0}, its calls make ${right[name] ?? 0}`)
}

const MILLIONTH = 1_000_000_000n

type Amounts = Map<number, bigint>

const addTo = (amounts: Amounts, id: number, by: bigint) => amounts.set(id, (amounts.get(id) ?? 0n) + by)

/** A balance is its opening, payments and adjustments, less calls and charges. */
function balancesAreParts(seen: SeenTable): string[] {
  if (seen.balanceFrom === '') return []
  const [parts, stored] = [partsOfBalances(seen), storedBalances(seen)]
  return [...new Set([...parts.keys(), ...stored.keys()])]
    .filter((id) => (parts.get(id) ?? 0n) !== (stored.get(id) ?? 0n))
    .map(
      (id) =>
        `the balance of ${id} is ${euro(stored.get(id))} without its opening, its parts make ${euro(parts.get(id))}`,
    )
}

function partsOfBalances({ calls, payments, adjustments, charges, balanceFrom }: SeenTable): Amounts {
  const parts: Amounts = new Map()
  for (const { user_id, booked, completed } of payments) if (completed) addTo(parts, user_id, exact(booked))
  for (const { user_id, amount, date } of adjustments)
    if (dayOf(date, 'UTC') >= balanceFrom) addTo(parts, user_id, exact(amount))
  for (const { user_id, booked } of charges) addTo(parts, user_id, -exact(booked))
  for (const { day, user_id, owner_id, direct, user_price, reseller_price } of calls) {
    if (day < balanceFrom) continue
    addTo(parts, user_id, -exact(user_price))
    if (!direct) addTo(parts, owner_id, -exact(reseller_price))
  }
  return parts
}

function storedBalances({ items }: Pick<SeenTable, 'items'>): Amounts {
  const stored: Amounts = new Map()
  for (const item of items)
    if (item['SK'] === 'BALANCE') addTo(stored, Number(String(item['PK']).split('#')[1]), movedBy(item))
  return stored
}

// Calls

/** The prices that a call may have, in millionths, by nothing but whole numbers. */
function plainPrices(
  tariff: string,
  { src, dst, billsec }: Pick<Call, 'src' | 'dst' | 'billsec'>,
): readonly (number | undefined)[] {
  const rates = RATES[tariff] ?? {}
  const prefix = Object.keys(rates)
    .filter((one) => dst.startsWith(one))
    .sort((one, other) => other.length - one.length)[0]
  const rate = prefix === undefined ? undefined : rates[prefix]
  if (billsec === 0) return [0]
  if (!rate) return [undefined]
  const billed = Math.ceil(Math.max(billsec, rate.least) / rate.increment) * rate.increment
  const isRerated = tariff === RERATED.tariff_id && prefix === RERATED.prefix
  const near =
    tariff === NEAR.tariff_id && src.startsWith(NEAR.prefix) ? NEAR_RATES[prefix as '44'] : undefined
  const minutes = near ? [near.minute + (near.adds ? rate.minute : 0)] : [rate.minute]
  return (isRerated ? RERATED.minutes : minutes).map(
    (minute) => rate.connection + Math.round((billed * minute) / 60),
  )
}

const millionths = (amount: string | undefined): number => Number(exact(amount) / MILLIONTH)

/** The second in which the CDR came that made a call. */
const arrivalOf = ({ digest }: Call): number => Number(digest.slice(0, 12))

/** Each stored call was sent, is stored once, and has the facts and the price of its CDR. */
function callsAreSent({ scene: { book }, calls, archivedBefore }: SeenTable): string[] {
  return [...Map.groupBy(calls, ({ uniqueid }) => uniqueid)].flatMap(([uniqueid, versions]) => {
    const sent = book.calls.get(uniqueid)
    if (!sent) return [`the call ${uniqueid} is stored, and nobody sent it`]
    // Of two that were stored at once, one is taken back, unless its day is archived.
    const isArchived = versions.some(({ day }) => day < archivedBefore)
    const [first = 0, last = first] = versions.map(arrivalOf).sort((one, other) => one - other)
    const isLate = last - first > MATCHED_SECONDS
    const mayBeTwo = sent.leg !== undefined && (isArchived || isLate)
    if (versions.length > 1 && !mayBeTwo) return [`the call ${uniqueid} is stored ${versions.length} times`]
    return versions.flatMap((call) => wrongAbout(call, sent))
  })
}

/** A call leaves the table once the archive has what the table says of it. */
function leavingIsArchived({ items, archived }: SeenTable): string[] {
  return items
    .filter((item) => isCall(item) && item[table.timeToLive] !== undefined)
    .map(readCall)
    .filter((call) => archived.get(identityName(call)) !== call.version)
    .map(({ uniqueid, version }) => `version ${version} of the call ${uniqueid} leaves, and is not archived`)
}

/** An answered CDR that is neither suspended nor dropped is never taken back by an unanswered one. */
function answeredStaysAnswered({ scene: { book }, calls, suspended }: SeenTable): string[] {
  const ids = idsIn(suspended)
  return calls
    .filter(({ uniqueid, billsec }) => billsec === 0 && book.answered.has(uniqueid) && !ids.has(uniqueid))
    .filter(({ uniqueid }) => !book.dropped.has(uniqueid))
    .map(({ uniqueid }) => `the call ${uniqueid} was answered, and is stored as unanswered`)
}

/** A version that another one has replaced is known when it comes again. */
const replacedStaysReplaced = ({ scene: { book } }: SeenTable): string[] =>
  [...book.stored]
    .filter(([uniqueid]) => (book.calls.get(uniqueid)?.lengths.length ?? 0) <= MOST_VERSIONS)
    .filter(([, lengths]) => new Set(lengths).size < lengths.length)
    .map(([uniqueid, lengths]) => `the call ${uniqueid} had ${lengths} s, one of them again`)

/**
 * The call knows each answered version of its CDR that was accepted, or that is suspended: a version that is
 * neither was lost on its way, however often the call has been corrected since.
 */
function noCorrectionIsLost({ scene: { book }, calls, suspended }: SeenTable): string[] {
  const waiting = suspended.flatMap((text) => [...idsIn([text])])
  return calls.flatMap(({ uniqueid, cdr_digests = '' }) => {
    const told = [...(book.versions.get(uniqueid) ?? [])].filter((length) => length > 0).length
    const known = new Set(cdr_digests.split(' ')).size
    const left = waiting.filter((id) => id === uniqueid).length
    return told > MOST_VERSIONS || known + left >= told || book.dropped.has(uniqueid)
      ? []
      : [`the call ${uniqueid} had ${told} answered versions, it knows ${known}, and ${left} are suspended`]
  })
}

/** Functions log mistakes of the program, which their callers read as an internal error. */
const nothingIsMistaken = ({ scene }: SeenTable): string[] => scene.installation.mistakes.splice(0)

/** The ids of suspended calls. */
export const idsIn = (suspended: readonly string[]): ReadonlySet<string> =>
  new Set(suspended.flatMap((text) => text.match(/\b[ac]\d+\b/g) ?? []))

/** Each CDR that was accepted is a call or suspended. An unanswered call that nobody can pay is skipped. */
function noCdrIsLost({ scene: { book }, calls, suspended }: SeenTable): string[] {
  const known = new Set(calls.map(({ uniqueid }) => uniqueid))
  const ids = idsIn(suspended)
  return [...book.accepted].flatMap((uniqueid) => {
    const { account = '', lengths = [] as readonly number[] } = book.calls.get(uniqueid) ?? {}
    const mayBeSkipped = account === 'zoe' && lengths.includes(0)
    return known.has(uniqueid) || ids.has(uniqueid) || mayBeSkipped || book.dropped.has(uniqueid)
      ? []
      : [`the CDR ${uniqueid} of ${account} was accepted, and is lost`]
  })
}

/**
 * Of an answered dialog, no event is suspended for want of the other one, or pending. One that comes again
 * after its call was archived is.
 */
function storedDialogsAreDone({ calls, archived, suspended, items }: SeenTable): string[] {
  const pending = items
    .filter(({ PK }) => String(PK).startsWith('DIALOGEVENTS#'))
    .map((one) => one['document'])
  const left = idsIn([...suspended.filter((text) => /^no_(start|end)/.test(text)), ...pending.map(String)])
  return calls
    .filter((call) => !archived.has(identityName(call)))
    .filter(({ uniqueid, source, billsec }) => source === 'sip1' && billsec > 0 && left.has(uniqueid))
    .map(({ uniqueid }) => `an event of ${uniqueid}, which is stored, is suspended or pending`)
}

/** A CDR without payer or rate, against an answer, for an invoiced day, or without its other half. */
const suspendedForReasons = ({ suspended }: SeenTable): string[] =>
  suspended
    .filter(
      (text) =>
        !/^(unknown_account|unknown_rate|already_answered|invoiced|no_start|no_end|possible_duplicate)/.test(
          text,
        ),
    )
    .map((text) => text.slice(0, 90))

function wrongAbout(call: Call, sent: SentCall): string[] {
  const { user_id, billsec, dst, src, user_price, reseller_price, owner_id, direct } = call
  const owner = OWNER_OF[sent.userId] ?? 0
  const facts: [string, unknown, unknown][] = [
    ['customer', user_id, sent.userId],
    ['owner', owner_id, owner],
    ['is direct', direct, owner === 0],
    ['src', src, sent.src],
    ['dst', dst, sent.dst],
    ['start', call.calldate, sent.start],
    ['is one of its lengths', sent.lengths.includes(billsec), true],
  ]
  const prices: typeof facts = [
    ['price', millionths(user_price), plainPrices(TARIFF_OF[sent.userId] ?? '', call)],
    ['price of its reseller', millionths(reseller_price), owner === 0 ? [0] : plainPrices('1', call)],
  ]
  const wrongPrices = prices.filter(([, is, may]) => !(may as unknown[]).includes(is))
  return [...facts, ...wrongPrices]
    .filter(([, is, must]) => is !== must)
    .map(
      ([name, is, must]) =>
        `${name} of the call ${sent.uniqueid} (${billsec} s to ${dst.slice(0, 5)}) is ${is}, not ${must}`,
    )
}

/** Calls are on the days of the installation's zone, also of one that has changed. */
function daysAreOfZone({ scene: { book }, calls }: SeenTable): string[] {
  if (book.zone === 'changing' || book.zone === 'unknown') return []
  return calls
    .filter(({ day, calldate }) => day !== dayOf(calldate, book.zone))
    .map(({ uniqueid, day }) => `the call ${uniqueid} is on ${day}, which it is not in ${book.zone}`)
}

// Call control

/** The held amount is the sum of the holds. */
function heldIsHolds({ items }: SeenTable): string[] {
  return items
    .filter(({ SK }) => SK === 'HOLDS')
    .flatMap((item) => {
      const { held, open, texts } = readHolds(item)
      const sum = [...texts.values()].reduce((total, text) => total + exact(readHold(text).amount), 0n)
      const isRight = exact(held) === sum && open === texts.size
      return isRight
        ? []
        : [`${keyOf(item)} says ${held} for ${open} calls, its holds are ${euro(sum)} for ${texts.size}`]
    })
}

/** A call that was refused, or whose answered CDR is charged, holds nothing. */
function nothingIsHeldInVain({ scene: { book }, items, calls }: SeenTable): string[] {
  const charged = calls.filter(({ billsec }) => billsec > 0).map(({ uniqueid }) => uniqueid)
  const ended = new Map(
    [...charged, ...book.refused].map((uniqueid) => [holdName({ source: 'fs1', uniqueid }), uniqueid]),
  )
  return items
    .filter(({ SK }) => SK === 'HOLDS')
    .flatMap((item) =>
      [...readHolds(item).texts.keys()]
        .filter((name) => ended.has(name))
        .map((name) => `${keyOf(item)} holds money for ${ended.get(name)}, which has ended or was refused`),
    )
}

/** The rounding of an issued month moves a balance by less than a cent a row. */
const ROUNDING = exact('0.05')

/** A prepaid customer all of whose calls were authorised never owes money. */
function nobodyOverdraws({ items, scene }: SeenTable): string[] {
  if (scene.book.opening !== 'never') return []
  return [PAUL, CAROL].flatMap((id) => {
    const left = leftOf(items, id)
    return left < -ROUNDING ? [`${id} is prepaid, all calls were authorised, and ${euro(left)} is left`] : []
  })
}

// Money

/** An answered payment is stored once; one without an answer at most once. Each has its entry in the log. */
function paymentsAreMade({ scene: { book }, payments, log }: SeenTable): string[] {
  const byReference = Map.groupBy(payments, ({ transaction_id }) => transaction_id)
  return book.payments.flatMap((paid) => {
    const { reference, known, id } = paid
    const stored = byReference.get(reference) ?? []
    const isLogged = log.some((entry) => entry.includes(`payment ${id} `))
    return [
      ...(known === 'done' && stored.length === 0
        ? [`the payment ${reference} was answered, and is lost`]
        : []),
      ...(stored.length > 1 ? [`the payment ${reference} is stored ${stored.length} times`] : []),
      ...(reference.startsWith('R') && id !== undefined && !isLogged
        ? [`the payment ${reference} has no entry in the log`]
        : []),
      ...stored.flatMap((one) => wrongPayment(one, paid)),
    ]
  })
}

function wrongPayment(
  stored: SeenTable['payments'][number],
  { reference, amount, userId, takenBack }: Paid,
): string[] {
  const isSame = exact(stored.amount) === exact(amount) && stored.user_id === userId
  const stands = takenBack === 'done' && stored.taken_back_by === undefined
  return [
    ...(isSame
      ? []
      : [`the payment ${reference} is ${stored.amount} of ${stored.user_id}, not ${amount} of ${userId}`]),
    ...(stands ? [`the payment ${reference} was taken back, and stands`] : []),
  ]
}

function adjustmentsAreMade({ scene: { book }, adjustments, log }: SeenTable): string[] {
  const wrong: string[] = []
  for (const { why, userId, amount, known } of book.adjusted) {
    const stored = adjustments.filter((one) => one.why === why)
    if (known === 'done' && stored.length !== 1)
      wrong.push(`"${why}" was answered, and is stored ${stored.length} times`)
    if (stored.length > 1) wrong.push(`"${why}" is stored ${stored.length} times`)
    if (stored.some((one) => one.user_id !== userId || exact(one.amount) !== exact(amount)))
      wrong.push(`"${why}" is another amount or customer`)
    const entries = log.filter((entry) => entry.includes(`${why}"`)).length
    if (entries !== stored.length)
      wrong.push(`"${why}" is stored ${stored.length} times, and logged ${entries} times`)
  }
  return wrong
}

/** The numbers of a seller's documents are 1 to n, each once. */
function numbersAreWhole({ invoices, notes }: SeenTable): string[] {
  const wrong: string[] = []
  const series = Map.groupBy(
    [...invoices, ...notes],
    (one) => `${one.owner_id} ${one.number.replace(/\d+$/, '')}`,
  )
  for (const [name, documents] of series) {
    const numbers = documents
      .map(({ number }) => Number(/\d+$/.exec(number)?.[0]))
      .sort((one, other) => one - other)
    if (numbers.some((number, index) => number !== index + 1))
      wrong.push(`the numbers ${name} are ${numbers}`)
  }
  const standing = [
    ...invoices.filter(({ credited_by }) => credited_by === ''),
    // A credit note of an invoice says why.
    ...notes.filter(({ comment }) => comment === ''),
  ]
  const months = Map.groupBy(standing, ({ user_id, month }) => `${user_id} ${month}`)
  for (const [name, documents] of months)
    if (documents.length > 1) wrong.push(`the month ${name} has ${documents.length} documents`)
  return wrong
}

/** Documents bill what calls and charges of their months cost: each price is in one net. */
function pricesAreBilledOnce({
  invoices,
  notes,
  calls,
  charges,
  items,
  isClosed,
  scene: { book },
}: SeenTable): string[] {
  const last = [...book.months]
    .map((one) => one.split(' ')[1] ?? '')
    .sort()
    .at(-1)
  if (last === undefined || !isClosed) return []
  return ACCOUNTS.flatMap(({ id, owner_id }) => {
    const user = Number(id)
    const seller = owner_id === '2' ? 'rick' : ''
    if (!book.months.has(`${seller} ${last}`) || owner_id === '3' || user <= 1) return []
    const months = (of: string) => of >= SIMULATED_FROM && of.slice(0, 7) <= last
    const used =
      sum(
        calls.filter((call) => call.user_id === user && months(call.day)),
        (call) => call.user_price,
      ) +
      sum(
        calls.filter((call) => call.owner_id === user && !call.direct && months(call.day)),
        (call) => call.reseller_price,
      ) +
      sum(
        charges.filter((one) => one.user_id === user && months(one.from)),
        (one) => one.booked ?? one.amount,
      )
    const billed = sum(
      [...invoices.filter(({ credited_by }) => credited_by === ''), ...notes].filter(
        (one) => one.user_id === user,
      ),
      (one) => one.charged,
    )
    const isEmpty = items.some(
      ({ PK, SK, outcome }) => PK === `BILLRUN#${last}` && Number(SK) === user && outcome === 'empty',
    )
    const left = used - billed
    // A month whose rows all round to 0.00 is billed with a later one.
    const isRight = isEmpty ? left < exact('0.2') && left > -exact('0.2') : left === 0n
    return isRight
      ? []
      : [`the documents of ${id} up to ${last} bill ${euro(billed)}, its calls and charges are ${euro(used)}`]
  })
}

const sum = <T>(rows: readonly T[], of: (row: T) => string | undefined): bigint =>
  rows.reduce((total, row) => total + exact(of(row)), 0n)

/** The gross of a document is its net and its VAT, and its rows make its net. */
function documentsAddUp({ invoices }: SeenTable): string[] {
  return invoices.flatMap(({ number, price, price_with_vat, vat_percent, products }) => {
    const net = sum(products, (one) => one.sum)
    const gross = (Number(price) * (100 + Number(vat_percent || 0))) / 100
    return [
      ...(products.length > 0 && net !== exact(price)
        ? [`the rows of ${number} are ${euro(net)}, its net ${price}`]
        : []),
      ...(Math.abs(gross - Number(price_with_vat)) > 0.0051
        ? [`the gross of ${number} is ${price_with_vat}, not ${gross}`]
        : []),
    ]
  })
}

/** The rounding of a document is adjusted: balances are charged what it bills. */
function roundingIsAdjusted({ invoices, adjustments }: SeenTable): string[] {
  return invoices.flatMap(({ number, user_id, price, charged, month }) => {
    const adjusted = sum(
      adjustments.filter((one) => one.user_id === user_id && one.why.startsWith(`${number}:`)),
      (one) => one.amount,
    )
    const right = exact(charged) - exact(price)
    return month === '' || adjusted === right
      ? []
      : [`${number} bills ${price} for ${charged}, and adjusts ${euro(adjusted)}`]
  })
}

// Events

/** Every payment and document was told to the operator's endpoint, and to its reseller's if that answers. */
function eventsAreTold({ scene, payments, invoices, notes }: SeenTable): string[] {
  const { received } = scene.installation
  const told = (url: string, type: string, id: unknown) =>
    received.some(
      (one) => one.url === url && one.type === type && JSON.stringify(one.data).includes(String(id)),
    )
  const rows = [
    ...payments.filter(({ completed }) => completed).map((one) => ({ ...one, type: 'payment.recorded' })),
    ...invoices.map((one) => ({ ...one, type: 'invoice.issued' })),
    ...notes
      .filter(({ number }) => number !== IMPORTED_NOTE)
      .map((one) => ({ ...one, type: 'credit_note.issued' })),
  ]
  return rows.flatMap(({ id, type, owner_id }) =>
    ENDPOINTS.filter(({ owner }) => owner === 0 || owner === owner_id)
      .filter(({ url }) => url !== SILENT_URL && !told(url, type, id))
      .map(({ url }) => `${url} was not told ${type} of ${id}`),
  )
}

/** The relay finds what waits by its list. */
const waitingIsListed = ({ items }: SeenTable): string[] =>
  items
    .filter((item) => item['SK'] === 'ALERT' && item['GSI1PK'] === undefined && waitingIn(item).length > 0)
    .map((item) => `${keyOf(item)} has events that wait, and is not listed`)

/** A delivery is said to be delivered once its endpoint has it. */
const deliveredIsReceived = ({ scene, items }: SeenTable): string[] =>
  items
    .filter(({ PK, outcome }) => String(PK).startsWith('DELIVERY#') && outcome === 'delivered')
    .filter(({ id }) => !scene.installation.received.some((one) => one.id === id))
    .map((item) => `${keyOf(item)} is delivered, and nobody has received it`)

/** No event goes to the endpoint of a stranger. */
function eventsAreOwn({ scene }: SeenTable): string[] {
  return scene.installation.received
    .filter(
      ({ url, data }) =>
        data['owner'] !== undefined &&
        ENDPOINTS.some((one) => one.url === url && one.owner !== 0 && one.owner !== data['owner']),
    )
    .map(({ url, type, data }) => `${url} was told ${type} of account ${data['account']}`)
}

/** A try holds the next one of a failing endpoint back. */
const TRY_SECONDS = 10

/** However many messages wait for it, a failing endpoint keeps one sender waiting at a time. */
function silentIsTriedAlone({ scene }: SeenTable): string[] {
  const ends = scene.installation.silentTries.splice(0).sort((one, other) => one - other)
  return ends
    .filter((end, index) => end - (ends[index - 1] ?? 0) < TRY_SECONDS)
    .map((end) => `two tries of the silent endpoint end at ${end}`)
}

// Names

const ASCII_OF: Readonly<Record<string, string>> = { '\u043e': 'o', '\u0430': 'a' }

const asRead = (name: unknown): string =>
  [...String(name).toLowerCase()].map((letter) => ASCII_OF[letter] ?? letter).join('')

/** A username is no word of a device of another account, no other id, and looks like no other username. */
function wordsHaveOneHolder({ items }: SeenTable): string[] {
  const accounts = items.filter(({ PK, SK }) => SK === 'USER' && String(PK).startsWith('USER#'))
  const devices = items.filter(({ PK, SK }) => SK === 'DEVICE' && String(PK).startsWith('DEVICE#'))
  return accounts.flatMap(({ id, username }) => {
    const others = [
      ...accounts.filter((one) => one['id'] !== id && asRead(one['username']) === asRead(username)),
      ...accounts.filter((one) => one['id'] !== id && String(one['id']) === username),
      ...devices.filter((one) => one['user_id'] !== id && [one['name'], one['extension']].includes(username)),
    ]
    return others.map(({ PK }) => `${username}, the username of ${id}, is also a word of ${PK}`)
  })
}

// Devices

function devicesAreThere({ scene: { book }, items }: SeenTable): string[] {
  const ids = new Set(items.filter(({ SK }) => SK === 'DEVICE').map(({ id }) => Number(id)))
  return book.devices.flatMap(({ id, deleted }) => {
    if (deleted === 'unknown') return []
    return ids.has(id) === (deleted === undefined)
      ? []
      : [`the device ${id} is ${deleted ? 'there after its deletion' : 'lost'}`]
  })
}

export const INVARIANTS: Readonly<Record<string, Invariant>> = {
  'check-data': checkData,
  counters: countersAreSums,
  balances: balancesAreParts,
  calls: callsAreSent,
  answered: answeredStaysAnswered,
  replaced: replacedStaysReplaced,
  leaving: leavingIsArchived,
  days: daysAreOfZone,
  'lost CDRs': noCdrIsLost,
  suspense: suspendedForReasons,
  dialogs: storedDialogsAreDone,
  holds: heldIsHolds,
  'held in vain': nothingIsHeldInVain,
  overdraft: nobodyOverdraws,
  payments: paymentsAreMade,
  adjustments: adjustmentsAreMade,
  numbers: numbersAreWhole,
  billed: pricesAreBilledOnce,
  documents: documentsAddUp,
  rounding: roundingIsAdjusted,
  events: eventsAreTold,
  ...THRESHOLD_INVARIANTS,
  'waiting events': waitingIsListed,
  'own events': eventsAreOwn,
  'delivered events': deliveredIsReceived,
  devices: devicesAreThere,
  'silent endpoint': silentIsTriedAlone,
  names: wordsHaveOneHolder,
  ...LEDGER_INVARIANTS,
  ...PAYERS_INVARIANTS,
  ...MAIL_INVARIANTS,
  ...FILE_INVARIANTS,
  ...OFFICE_INVARIANTS,
  mistakes: nothingIsMistaken,
  corrections: noCorrectionIsLost,
}

/** The digest of all items and archived objects: the same for the same seed and commit. */
export function digestOf(items: readonly Item[], objects: ReadonlyMap<string, Uint8Array>): string {
  const hash = createHash('sha256').update(JSON.stringify(items, inOrder))
  for (const key of [...objects.keys()].sort()) hash.update(key).update(objects.get(key) ?? '')
  return hash.digest('hex').slice(0, 16)
}

/** DynamoDB keeps no order of attributes. */
const inOrder = (_name: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
    : value
