import { withoutNonXml } from '#lib/domain/text.ts'

/** The printed form of an accepted value; `undefined` if a blank one has another meaning. */
type Reading = (sent: string) => string | undefined

const asSent: Reading = (sent) => sent
const trimmed: Reading = (sent) => sent.trim() || undefined
const asNumber: Reading = (sent) => (sent.trim() === '' ? undefined : String(Number(sent)))
const orDefault: Reading = (sent) => sent || undefined
const asId: Reading = (sent) => (/^\s*\d+\s*$/.test(sent) ? String(Number(sent)) : undefined)

/** The element that prints a parameter, and the form in which it does. */
type Shown = Readonly<Record<string, readonly [element: string, reading: Reading]>>

const LOCATION_RULE: Shown = {
  name: ['name', trimmed],
  cut: ['cut', trimmed],
  add: ['add', trimmed],
  minlen: ['minlen', asNumber],
  maxlen: ['maxlen', asNumber],
  lr_type: ['lr_type', trimmed],
  lcr_id: ['lcr_id', asId],
  tariff_id: ['tariff_id', asId],
  did_id: ['did_id', asId],
  device_id: ['device_id', asId],
  location_group_id: ['location_group_id', asId],
  change_callerid_name: ['change_callerid_name', trimmed],
  src_cut: ['src_cut', trimmed],
  src_add: ['src_add', trimmed],
  src_minlen: ['src_minlen', asNumber],
  src_maxlen: ['src_maxlen', asNumber],
}

/** Parameters that the answer to the call itself prints. */
export const ECHOED_PARAMETERS: Readonly<Record<string, Shown>> = {
  user_calls_get: {
    s_user: ['show_user', (sent) => withoutNonXml(sent) || undefined],
    s_device: ['show_device', (sent) => withoutNonXml(sent) || undefined],
  },
}

/** Stored parameters, which another call prints. */
export const STORED_PARAMETERS: Readonly<Record<string, Shown>> = {
  user_register: {
    email: ['reg_email', asSent],
    username: ['username', asSent],
    first_name: ['first_name', asSent],
    last_name: ['surname', asSent],
    state: ['reg_state', asSent],
    mob_phone: ['reg_mobile', asSent],
    phone: ['reg_phone', asSent],
    fax: ['reg_fax', asSent],
    client_id: ['personalid', asSent],
    vat_number: ['vat_reg_number', asSent],
    county: ['reg_country', asSent],
    city: ['reg_city', asSent],
    postcode: ['reg_postcode', asSent],
    address: ['reg_address', asSent],
  },
  user_details_update: {
    u0: ['vat_reg_number', asSent],
    u9: ['username', asSent],
    u17: ['surname', asSent],
    u19: ['personalid', asSent],
    u23: ['first_name', asSent],
    u27: ['agreement_number', asSent],
    first_name: ['first_name', asSent],
    last_name: ['surname', asSent],
    // No answer prints a comment.
    u33: ['', asSent],
  },
  payment_create: {
    paymenttype: ['type', (sent) => trimmed(sent)?.replace(/^./s, (first) => first.toUpperCase())],
    transaction: ['transaction_id', trimmed],
    comments_for_user: ['comments_for_user', asSent],
  },
  device_create: {
    type: ['device_type', trimmed],
    extension: ['extension', trimmed],
    caller_id: ['callerid', (sent) => (sent === '' ? '' : `<${sent}>`)],
    pin: ['pin', orDefault],
    language: ['language', trimmed],
    description: ['description', asSent],
    fromuser: ['fromuser', asSent],
    call_timeout: ['max_timeout', asNumber],
    devicegroup_id: ['devicegroup_id', asNumber],
  },
  device_update: {
    device_name: ['name', asSent],
    username: ['username', asSent],
    password: ['secret', asSent],
    call_limit: ['call_limit', asNumber],
    call_timeout: ['max_timeout', asNumber],
    extension: ['extension', trimmed],
    fromuser: ['fromuser', asSent],
    language: ['language', trimmed],
    pin: ['pin', asSent],
    encryption: ['encryption', trimmed],
    transport: ['transport', trimmed],
    hidden: ['hidden', trimmed],
    comment: ['comment', asSent],
    callerid_name: ['callerid', (sent) => (sent === '' ? '' : `"${sent}"`)],
    callerid_number: ['callerid', (sent) => (sent === '' ? '' : `<${sent}>`)],
  },
  device_rule_create: {
    name: ['name', trimmed],
    cut: ['cut', trimmed],
    add: ['add', trimmed],
    pr_type: ['pr_type', trimmed],
    minlen: ['minlen', asNumber],
    maxlen: ['maxlen', asNumber],
  },
  location_rule_create: LOCATION_RULE,
  location_rule_update: { ...LOCATION_RULE, enabled: ['enabled', trimmed] },
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
