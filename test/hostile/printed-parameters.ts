import { withoutNonXml } from '#lib/base/text.ts'

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
export const ECHOED_PARAMETERS: Readonly<Record<string, Shown>> = {
  user_calls_get: {
    s_user: ['show_user', asEchoed],
    s_device: ['show_device', asEchoed],
  },
}

/** Stored parameters, which another call prints. */
export const STORED_PARAMETERS: Readonly<Record<string, Shown>> = {
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
export const PRINTING_CALLS: Readonly<
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
