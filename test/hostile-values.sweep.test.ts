import fc from 'fast-check'
import { ParseOption, XmlDocument, XmlElement, XmlText } from 'libxml2-wasm'
import { SaxesParser } from 'saxes'
import { beforeEach, expect, test } from 'vitest'
import type { Method } from '#lib/api/method.ts'
import { orderApplies, signatureOf } from '#lib/api/signature.ts'
import { serve } from '#lib/api/stack/stack.ts'
import { fitsXml, withoutNonXml } from '#lib/base/text.ts'
import { currencyKey } from '#lib/table/keys.ts'
import { estates, passwordOf } from '#test/examples/estates.ts'
import { REGISTRATION } from '#test/examples/writing.ts'
import { aWatchedTable, type WatchedTable } from '#test/faults/watched-table.ts'
import { hostileText } from '#test/hostile/hostile-text.ts'
import { loadFunctionFiles } from '#tools/contracts/function-files.ts'
import { aContext, anEvent, type Request } from './event.ts'
import { isNight, methodsToTry, shareOf } from './sweep.ts'
import { aWorld, bodyOf, SECRET_KEY, signedForm, type World } from './world.ts'

/** The printed form of an accepted value; `undefined` if a blank one has another meaning. */
type Reading = (sent: string) => string | undefined

const asSent: Reading = (sent) => sent
const trimmed: Reading = (sent) => sent.trim() || undefined
const asNumber: Reading = (sent) => (sent.trim() === '' ? undefined : String(Number(sent)))
const orDefault: Reading = (sent) => sent || undefined
const asId: Reading = (sent) => (/^\s*\d+\s*$/.test(sent) ? String(Number(sent)) : undefined)

/** The element that prints a parameter, and the form in which it does. */
type Shown = Readonly<Record<string, readonly [element: string, reading: Reading]>>

/** Parameters whose elements have their names. */
const alike = (reading: Reading, ...names: readonly string[]): Shown =>
  Object.fromEntries(names.map((name) => [name, [name, reading]]))

const RULE: Shown = { ...alike(trimmed, 'name', 'cut', 'add'), ...alike(asNumber, 'minlen', 'maxlen') }

const LOCATION_RULE: Shown = {
  ...RULE,
  ...alike(trimmed, 'lr_type', 'change_callerid_name', 'src_cut', 'src_add'),
  ...alike(asNumber, 'src_minlen', 'src_maxlen'),
  ...alike(asId, 'lcr_id', 'tariff_id', 'did_id', 'device_id', 'location_group_id'),
}

/** No type reads a longer text: it is cut. */
const MOST_READ = 4000

const asEchoed: Reading = (sent) => (sent.length > MOST_READ ? undefined : withoutNonXml(sent) || undefined)

/** Parameters that the answer to the call itself prints. */
const ECHOED_PARAMETERS: Readonly<Record<string, Shown>> = {
  user_calls_get: {
    s_user: ['show_user', asEchoed],
    s_device: ['show_device', asEchoed],
  },
}

/** Stored parameters, which another call prints. */
const STORED_PARAMETERS: Readonly<Record<string, Shown>> = {
  user_register: {
    ...alike(asSent, 'username', 'first_name'),
    last_name: ['surname', asSent],
    client_id: ['personalid', asSent],
    vat_number: ['vat_reg_number', asSent],
    email: ['reg_email', asSent],
    phone: ['reg_phone', asSent],
    mob_phone: ['reg_mobile', asSent],
    fax: ['reg_fax', asSent],
    state: ['reg_state', asSent],
    county: ['reg_country', asSent],
    city: ['reg_city', asSent],
    postcode: ['reg_postcode', asSent],
    address: ['reg_address', asSent],
  },
  user_details_update: {
    ...alike(asSent, 'first_name'),
    last_name: ['surname', asSent],
    u0: ['vat_reg_number', asSent],
    u9: ['username', asSent],
    u17: ['surname', asSent],
    u19: ['personalid', asSent],
    u23: ['first_name', asSent],
    u27: ['agreement_number', asSent],
    // No answer prints a comment.
    u33: ['', asSent],
  },
  payment_create: {
    ...alike(asSent, 'comments_for_user'),
    paymenttype: ['type', (sent) => trimmed(sent)?.replace(/^./s, (first) => first.toUpperCase())],
    transaction: ['transaction_id', trimmed],
  },
  device_create: {
    ...alike(asSent, 'description', 'fromuser'),
    ...alike(trimmed, 'extension', 'language'),
    type: ['device_type', trimmed],
    caller_id: ['callerid', (sent) => (sent === '' ? '' : `<${sent}>`)],
    pin: ['pin', orDefault],
    call_timeout: ['max_timeout', asNumber],
    devicegroup_id: ['devicegroup_id', asNumber],
  },
  device_update: {
    ...alike(asSent, 'username', 'fromuser', 'pin', 'comment'),
    ...alike(trimmed, 'extension', 'language', 'encryption', 'transport', 'hidden'),
    device_name: ['name', asSent],
    password: ['secret', asSent],
    call_limit: ['call_limit', asNumber],
    call_timeout: ['max_timeout', asNumber],
    callerid_name: ['callerid', (sent) => (sent === '' ? '' : `"${sent}"`)],
    callerid_number: ['callerid', (sent) => (sent === '' ? '' : `<${sent}>`)],
  },
  device_rule_create: { ...RULE, ...alike(trimmed, 'pr_type') },
  location_rule_create: LOCATION_RULE,
  location_rule_update: { ...LOCATION_RULE, ...alike(trimmed, 'enabled') },
}

/** The call that prints the stored value. */
const PRINTING_CALLS: Readonly<
  Record<string, readonly [method: string, (answer: string) => Readonly<Record<string, string>>]>
> = {
  user_register: ['user_details_get', (answer) => ({ user_id: /<user_id>(\d+)/.exec(answer)?.[1] ?? '' })],
  user_details_update: ['user_details_get', () => ({ user_id: '10' })],
  device_create: ['device_details_get', (answer) => ({ device_id: /<id>(\d+)/.exec(answer)?.[1] ?? '' })],
  payment_create: ['payments_get', () => ({ s_user_id: '10', s_from: '0' })],
  device_update: ['device_details_get', () => ({ device_id: '1010' })],
  device_rule_create: ['device_rules_get', () => ({ device_id: '1010' })],
  location_rule_create: [
    'location_rule_get',
    (answer) => ({ location_rule_id: /rule_id: (\d+)/.exec(answer)?.[1] ?? '' }),
  ],
  location_rule_update: ['location_rule_get', () => ({ location_rule_id: '6000' })],
}

const times = (text: string, count: number): string => text.repeat(count)

const BLANK = ['', ' ', '\t\r\n', '\u00a0']

const CONTROL = ['a\u0000b', '\u001b[31m', '\u007f\u0085', 'a\uffff', 'a\nb\r']

const HALVES = ['\ud800', 'a\udc00b']

const MARKUP = [
  ...['&amp;amp;', '&#0;', '&#13;', '&y;', ']]>', '<![CDATA[x]]>', '<!DOCTYPE x [<!ENTITY y "z">]>&y;'],
  ...[
    '<?xml version="1.0"?>',
    '<!-- -- -->',
    '</page>',
    '<a b="c"/>',
    '" onload="x',
    '<script>alert(1)</script>',
  ],
]

const NUMBERS = [
  ...['0', '-0', '-1', '+1', '007', '1.5', '.5', '1e9', '1E-7', '1e999', '0x10', '1_000', 'NaN', 'Infinity'],
  ...['9007199254740993', '999999999999999', '99999999999999999999', '\u0661\u0662', '1 2'],
]

const DATES = ['253402300799', '253402300800', '-62167219200', '9999999', '2026-02-30', '0000-00-00']

const FRAGMENTS = [
  "' OR 1=1 --",
  '"; DROP TABLE users; --',
  '{"$gt":""}',
  '{{7*7}}',
  '%00',
  '../..',
  '=1+1',
  '$&',
]

const NAMES = ['__proto__', 'constructor', 'length', 'null', 'undefined', 'true', 'all']

const SEPARATORS = ['#', 'USER#10', 'a#b|c~d$e', '*#+']

const UNICODE = ['\u202eabc\u202c', '\u200f10', '\ufeff1', '👩\u200d👧', 'e\u0301', 'İ', '\u2028']

const LONG = [times('x', 4000), times('x', 4001), times('9', 5000), times('😀', 2000), times('<', 20_000)]

/** Texts with traps in them, the same ones every time. */
const RANDOM = fc.sample(hostileText, { numRuns: 5, seed: 8 })

/** Values that nobody should send: a parameter gets each once, or several in sequence. */
const hostileValues: readonly (readonly string[])[] = [
  ...[BLANK, CONTROL, HALVES, MARKUP, NUMBERS, DATES, FRAGMENTS, NAMES, SEPARATORS, UNICODE, LONG, RANDOM]
    .flat()
    .map((text) => [text]),
  ['10', '20'],
  ['', '<b>', ''],
]

/** Values of JSON alone, with the text that counts as sent, if any; `refused` is not a flat object. */
const hostileJson: readonly {
  readonly json: string
  readonly text?: string
  readonly refused?: true
}[] = [
  { json: 'null' },
  { json: 'true', text: '1' },
  { json: 'false', text: '0' },
  ...['-0', '1.0', '1e999', '-1E-400', '99999999999999999999', '1000'].map((json) => ({ json, text: json })),
  { json: '["1","2"]', refused: true },
  { json: '{"a":1}', refused: true },
]

/** An element as a parser sees it; text in one piece. */
interface ParsedElement {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: (ParsedElement | string)[]
}

/** The root as saxes and libxml2 see it, both strict. Throws if one refuses or they differ. */
function readByBoth(document: string): ParsedElement {
  const root = readBySaxes(document)
  const other = readByLibxml2(document)
  if (JSON.stringify(root) !== JSON.stringify(other)) {
    throw new Error(`saxes reads ${JSON.stringify(root)}, libxml2 ${JSON.stringify(other)}`)
  }
  return root
}

/** The texts of all elements of a name, in the order of the document. */
const textsOf = (element: ParsedElement, name: string): string[] => [
  ...(element.name === name ? [element.children.filter((child) => typeof child === 'string').join('')] : []),
  ...element.children.flatMap((child) => (typeof child === 'string' ? [] : textsOf(child, name))),
]

/** A text may come in pieces. */
function addText({ children }: ParsedElement, text: string): void {
  const last = children.at(-1)
  if (typeof last === 'string') children[children.length - 1] = last + text
  else if (text !== '') children.push(text)
}

function readBySaxes(document: string): ParsedElement {
  const above: ParsedElement = { name: '', attributes: {}, children: [] }
  const open = [above]
  const parser = new SaxesParser()
  parser.on('error', (error) => {
    throw error
  })
  parser.on('opentag', ({ name, attributes }) => {
    const element = { name, attributes: { ...attributes }, children: [] }
    open.at(-1)?.children.push(element)
    open.push(element)
  })
  parser.on('closetag', () => open.pop())
  parser.on('text', (text) => addText(open.at(-1) ?? above, text))
  parser.write(document).close()
  const [root] = above.children
  if (typeof root !== 'object') throw new Error('There is no root')
  return root
}

/** An answer has neither comments nor sections, and names no entity but the five that every document has. */
function readByLibxml2(document: string): ParsedElement {
  const parsed = XmlDocument.fromString(document, {
    option: ParseOption.XML_PARSE_NONET | ParseOption.XML_PARSE_HUGE,
  })
  try {
    return elementOf(parsed.root)
  } finally {
    parsed.dispose()
  }
}

function elementOf(node: XmlElement): ParsedElement {
  const attributes = Object.fromEntries(node.attrs.map(({ name, value }) => [name, value]))
  const element: ParsedElement = { name: node.name, attributes, children: [] }
  for (let child = node.firstChild; child; child = child.next) {
    if (child instanceof XmlElement) element.children.push(elementOf(child))
    else if (child instanceof XmlText) addText(element, child.content)
    else throw new Error('There is something that is neither an element nor a text')
  }
  return element
}

type Sent = Readonly<Record<string, string>>

/** A valid call of each method. Each test makes one of its parameters hostile. */
const RIGHT: Readonly<Record<string, Sent>> = {
  user_login: { u: 'bob', p: passwordOf('bob') },
  user_logout: {},
  users_get: { uniquehash: 'hash-of-0' },
  user_balance_get: { username: 'bob' },
  user_balance_get_by_username: { id: 'phone-of-10' },
  user_simple_balance_get: { id: 'hash-of-10' },
  user_details_get: { user_id: '10' },
  user_details_update: { user_id: '10' },
  user_register: REGISTRATION,
  payment_create: { user_id: '10', p_currency: 'EUR', amount: '1' },
  devices_get: { user_id: '10' },
  device_details_get: { device_id: '1010' },
  device_create: { user_id: '10' },
  device_update: { device: '1010' },
  device_delete: { device: '1010' },
  device_rules_get: { device_id: '1010' },
  device_rule_create: { device_id: '1010', name: 'new', cut: '1', add: '2' },
  device_rule_delete: { device_rule_id: '6010' },
  rate_get: { prefix: '370', username: 'bob' },
  tariff_rates_get: { tariff_id: '3010' },
  exchange_rate_update: { currency: 'EUR', rate: '2' },
  location_rule_get: { location_rule_id: '6000' },
  location_rules_get: { location_id: '2000' },
  location_rule_create: { location_id: '2000', name: 'new', cut: '1', add: '2' },
  location_rule_update: { location_rule_id: '6000', add: '5' },
  location_rule_delete: { location_rule_id: '6000' },
  location_rule_copy: { location_rule_id: '6000', location_id: '2002' },
  quickstats_get: {},
  active_calls_get: {},
  user_calls_get: {},
  local_calls_get: {},
  queue_log_get: {},
  credit_notes_get: { user_id: '10' },
  payments_get: {},
  services_get: {},
  subscriptions_get: {},
  financial_statements_get: {},
  invoices_get: {},
}

const methods = new Map((await loadFunctionFiles()).map(({ method }) => [method.name, method]))

let world: World
let table: WatchedTable<World>

beforeEach(async () => {
  const own = await aWorld(estates, {
    Allow_GET_API: '1',
    Devices_Check_Rate: '1',
    Queue_Log_Enabled: '1',
    API_allow_Payments: '1',
    API_allow_Registration: '1',
    Devices_Check_Balance: '1',
    Balances_Without_Signature: '1',
    Balance_From: '2026-03-01',
    Default_User_Tariff: '3000',
    Allow_short_passwords_in_devices: '1',
  })
  table = await aWatchedTable(own)
  world = table.connect().world
})

const send = (method: Method, request: Request) => serve(method, world.services)(anEvent(request), aContext())

/** Keeps the counters of failed logins: a name that has to wait costs no slow password hash. */
const undo = (): Promise<void> => table.undo(({ PK }) => /^LOGINFAIL#[0-9a-f]{64}#/.test(PK))

/** A hostile request, and the value that counts as sent. */
interface Hostile {
  readonly request: Request
  readonly sent: string | undefined
  readonly refused?: true
}

/** All other parameters, and the signature of the whole request. */
function around(method: Method, parameter: string, sent: string | undefined): Sent {
  const right: Sent = { u: 'admin', ...RIGHT[method.name] }
  const { [parameter]: _replaced, ...others } = right
  const all = sent === undefined ? others : { ...others, [parameter]: sent }
  const order = method.hashOrders.find((one) => orderApplies(all, one))
  return order ? { ...others, hash: signatureOf(all, order, SECRET_KEY) } : others
}

const JSON_HEADERS = { 'Content-Type': 'application/json' }

function byPost(method: Method, parameter: string, values: readonly string[]): Hostile {
  const sent = values.at(-1) ?? ''
  const others = around(method, parameter, sent)
  const form = new URLSearchParams([
    ...Object.entries(others),
    ...values.map((value): [string, string] => [parameter, value]),
  ])
  // Half a surrogate pair can be sent as JSON, but not as a form.
  const request: Request = sent.isWellFormed()
    ? { body: form.toString() }
    : { body: JSON.stringify({ ...others, [parameter]: sent }), headers: JSON_HEADERS }
  return { request, sent }
}

function byGet(method: Method, parameter: string, values: readonly string[]): Hostile {
  const sent = values.at(-1) ?? ''
  const others = Object.entries(around(method, parameter, sent))
  const query = [...others, ...values.map((value) => [parameter, value] as const)]
  return { request: { method: 'GET', query }, sent }
}

function byJson(
  method: Method,
  parameter: string,
  { json, text, refused }: (typeof hostileJson)[number],
): Hostile {
  const others = JSON.stringify(around(method, parameter, text)).slice(1, -1)
  const body = `{${others},${JSON.stringify(parameter)}:${json}}`
  return { request: { body, headers: JSON_HEADERS }, sent: text, ...(refused && { refused }) }
}

/**
 * A query string is read like a form, and is then the same: every twelfth value comes by GET as well, each
 * time others.
 */
const BY_GET = 12

const hostileCalls = (method: Method, parameter: string, turn: number): Hostile[] => [
  ...shareOf(hostileValues, turn).map((values) => byPost(method, parameter, values)),
  ...hostileValues
    .filter((_values, index) => index % BY_GET === parameter.length % BY_GET)
    .map((values) => byGet(method, parameter, values)),
  ...shareOf(hostileJson, turn).map((value) => byJson(method, parameter, value)),
]

/** Counters and items of races, which no answer prints. */
const isStored = (name: string): boolean => !/^(ID|RACES|LOGINFAIL)#/.test(name)

/** A plain answer is a number or words. */
const isRefusal = (document: string): boolean => /<error>|<status>failed<|^[A-Z]/.test(document)

/** Parses each distinct document once. */
const seen = new Set<string>()

function read(document: string): void {
  if (seen.has(document) || !document.startsWith('<')) return
  readByBoth(document)
  seen.add(document)
}

function call(name: string, sent: Sent): Promise<string> {
  const method = methods.get(name)
  if (!method) throw new Error(`There is no method ${name}`)
  return send(method, { body: signedForm(method, { u: 'admin', ...sent }) }).then(bodyOf)
}

let comparisons = 0

/** The values that are not printed as they were sent. */
async function notShown(method: Method, parameter: string, { sent, body }: { sent: string; body: string }) {
  const shownBy = PRINTING_CALLS[method.name]
  const stored = STORED_PARAMETERS[method.name]?.[parameter]
  const [element, reading] = stored ?? ECHOED_PARAMETERS[method.name]?.[parameter] ?? []
  const expected = reading?.(sent)
  if (!element || expected === undefined) return []
  const document = stored && shownBy ? await call(shownBy[0], shownBy[1](body)) : body
  read(document)
  comparisons += 1
  const shown = textsOf(readByBoth(document), element).at(-1)
  return shown === expected ? [] : [`${element} shows ${JSON.stringify(shown)}`]
}

/** The faults of an answer that are wrong for every request. */
function unsound(body: string): string[] {
  read(body)
  const stored = isRefusal(body) ? [...table.written.keys()].filter(isStored) : []
  return [
    ...stored.map((name) => `refused, and wrote ${name}`),
    ...table.tooLong.map(() => 'a key is longer than DynamoDB takes'),
  ]
}

/** Requests are signed with their hostile value: `Incorrect hash` means a misread parameter. */
const isMisread = (parameter: string, body: string): boolean =>
  parameter !== 'hash' && body.includes('Incorrect hash')

async function wrongWith(method: Method, parameter: string, hostile: Hostile): Promise<string[]> {
  const answer = await send(method, hostile.request)
  const body = bodyOf(answer)
  const wrong = unsound(body)
  if (answer.statusCode !== (hostile.refused ? 400 : 200)) wrong.push(`HTTP ${answer.statusCode}`)
  if (isMisread(parameter, body)) wrong.push('the signature was refused')
  const { sent } = hostile
  if (sent !== undefined && !isRefusal(body)) {
    wrong.push(...(await notShown(method, parameter, { sent, body })))
  }
  await undo()
  return wrong
}

let tried = 0

async function faultsOf(method: Method, parameter: string, turn: number): Promise<string[]> {
  const faults: string[] = []
  for (const hostile of hostileCalls(method, parameter, turn)) {
    const wrong = await wrongWith(method, parameter, hostile).catch((error: unknown) => [String(error)])
    tried += 1
    const how = hostile.request.method ?? 'POST'
    const value = JSON.stringify(hostile.sent)?.slice(0, 60)
    faults.push(...wrong.map((what) => `${how} ${parameter}=${value}: ${what.slice(0, 300)}`))
  }
  return faults
}

/** Parameters of every request, which the gates read, besides the declared ones. */
const parametersOf = ({ name, params }: Method): string[] => [
  ...Object.keys(params),
  ...(name === 'services_get' ? ['u', 'hash'] : []),
]

test.each(methodsToTry(methods.values()).map((method) => [method.name, method] as const))(
  '%s answers every hostile parameter value with well-formed XML, and stores accepted ones as is',
  async (name, method) => {
    expect(RIGHT, 'somebody has said what a right call is').toHaveProperty(name)
    expect(isRefusal(await call(name, RIGHT[name] ?? {}))).toBe(false)
    await undo()

    const faults: string[] = []
    for (const [position, parameter] of parametersOf(method).entries()) {
      faults.push(...(await faultsOf(method, parameter, name.length + position)))
    }

    expect(faults).toEqual([])
  },
)

test('every stored parameter has an element that prints it', () => {
  const unknown = [...methods.values()].flatMap(({ name, params }) =>
    Object.entries(params)
      .filter(([parameter, { stored }]) => stored && !STORED_PARAMETERS[name]?.[parameter])
      .map(([parameter]) => `${name} ${parameter}`),
  )

  expect(unknown).toEqual([])
})

test('an exchange rate is stored as it was sent, or refused', async () => {
  const wrong: string[] = []
  for (const [sent = ''] of hostileValues.filter(([value = '']) => value.isWellFormed() && fitsXml(value))) {
    const body = await call('exchange_rate_update', { currency: 'EUR', rate: sent })
    const { exchange_rate } = (await world.store.get(currencyKey('EUR'))) ?? {}
    const expected = isRefusal(body) ? '0.9' : sent.replace(/^0+(?=\d)/, '')
    if (String(exchange_rate) !== expected) wrong.push(`${sent}: ${exchange_rate}`)
    await undo()
  }

  expect(wrong).toEqual([])
})

test('hundreds of calls were made, and at night ten thousand; many stored values were printed', () => {
  process.stdout.write(
    `hostile values: ${tried} calls, ${seen.size} documents read by both parsers, ${comparisons} values came back\n`,
  )
  expect(tried).toBeGreaterThan(isNight ? 10_000 : 200)
  expect(comparisons).toBeGreaterThan(isNight ? 1000 : 20)
})
