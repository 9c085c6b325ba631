import type { Refusal, RefusalCode, Refusals } from '#lib/base/refusal.ts'
import { countOf } from '#lib/base/text.ts'
import { valueSentence } from './value-sentences.ts'

/**
 * What a person can do about a refusal. The terminal prints a command for it, the page a button or a link.
 */
export interface Remedies {
  readonly open_balances: Record<never, never>
  readonly list_payments: Record<never, never>
  /** Of a customer; blank: of all. */
  readonly list_invoices: { readonly customer: string }
  /** The same act again, with another input that tells what is meant. */
  readonly name_input: { readonly input: string }
  readonly add_currency: { readonly currency: string }
  readonly list_accounts: Record<never, never>
  readonly list: { readonly of: Refusals['unknown_name']['noun'] }
  readonly revoke_intake: { readonly intake: string }
  readonly list_versions: { readonly tariff: string }
  readonly migrate: Record<never, never>
  readonly move_timezone: { readonly zone: string }
  /** The same act again, although it asks whether it is meant. */
  readonly agree: Record<never, never>
  readonly act_as_owner: { readonly owner: string }
  readonly close_month: { readonly month: string }
  readonly set_setting: { readonly setting: string; readonly value: string }
  readonly begin_at: { readonly day: string }
  /** Only a process that reads the archive retries a CDR of an archived day. */
  readonly retry_with_archive: Record<never, never>
  /** The same act again, which permits what stands against it. */
  readonly permit: { readonly obstacle: Exclude<Refusals['rates_obstacle']['obstacle'], 'no rows'> }
  readonly issue_month: { readonly month: string; readonly customer: string }
  readonly retry_suspended: Record<never, never>
  readonly take_back_payments: Record<never, never>
  /** A page has no room or no time for it: a command has. */
  readonly at_terminal: { readonly task: TerminalTask; readonly of: string }
  /** The same act again, as another one. */
  readonly again: Record<never, never>
}

export type TerminalTask =
  | 'report_calls'
  | 'report_ageing'
  | 'report_statement'
  | 'write_document'
  | 'write_journal'
  | 'issue_month'
  | 'import_sheet'
  | 'mark_up'
  | 'import_origins'
  | 'import_bank_file'
  | 'compare_versions'

export type RefusalRemedy = { [R in keyof Remedies]: { readonly act: R } & Remedies[R] }[keyof Remedies]

/** The HTTP status of a refusal, by the codes of the console's API. */
type RefusalKind =
  | 'refused_values'
  | 'invalid'
  | 'conflict'
  | 'not_found'
  | 'forbidden'
  | 'already_done'
  | 'too_many_requests'

interface RefusalText<V> {
  readonly kind: RefusalKind
  /** A sentence without a full stop. `field` is the input as the reader knows it. */
  says(values: V, field: string, nameField: ((name: string) => string) | undefined): string
  remedy?(values: V): RefusalRemedy | undefined
}

const of =
  (kind: RefusalKind) =>
  <V>(says: RefusalText<V>['says'], remedy?: RefusalText<V>['remedy']): RefusalText<V> => ({
    kind,
    says,
    ...(remedy && { remedy }),
  })

const invalid = of('invalid')
const conflict = of('conflict')
const notFound = of('not_found')
const forbidden = of('forbidden')

const didYouMean = (nearest: readonly string[]): string =>
  nearest.length > 0 ? `: did you mean ${nearest.join(' or ')}?` : ''

/** Neither an unknown name nor a hidden one is told apart. */
const unseen = (what: string, nearest: readonly string[] = []): string =>
  `There is no ${what}, or you may not see it${didYouMean(nearest)}`

/** The sentences of all refusals, for people. The seed's methods have their own, where the API fixes them. */
const SENTENCES: { readonly [C in RefusalCode]: RefusalText<Refusals[C]> } = {
  wrong_value: invalid(({ value, takes }, field) => `${field} is "${value}": it takes a ${takes}`),
  missing_value: invalid(({ takes }, field) => `${field} is missing: it takes a ${takes}`),
  unfit_secret: invalid(({ takes }, field) => `${field} is unfit: it takes ${takes}`),
  unknown_name: notFound(
    ({ noun, name, nearest }) => unseen(`${noun} ${name}`, nearest),
    ({ noun, nearest = [] }) => (nearest.length > 0 ? undefined : { act: 'list', of: noun }),
  ),
  unstorable_text: invalid(
    (_, field) => `${field} has characters that cannot be stored, or too many of them`,
  ),
  unfit_e_invoice: conflict(
    ({ number, form, lacks }) => `${number} cannot be ${form}: it lacks ${lacks.join('; ')}`,
  ),
  unfit_format: conflict(
    ({ customer, form, lacks }) =>
      `The invoices of ${customer} cannot be ${form}: they lack ${lacks.join('; ')}`,
  ),
  not_permitted: forbidden(({ usertype }) => `This is not for accounts of type ${usertype}`),
  repeated: conflict(
    ({ what }) => `${what} was recorded within a day`,
    () => ({ act: 'again' }),
  ),
  already_done: of('already_done')(({ at }) => `This was done before, at ${at}: look at the result`),
  key_used: conflict(({ at }) => `This idempotency key was used at ${at} for a request with other values`),

  refused_values: of('refused_values')(({ problems }, _, nameField) =>
    problems
      .map((one) => [one.name && (nameField?.(one.name) ?? `${one.name}:`), valueSentence(one)])
      .map((words) => words.filter(Boolean).join(' '))
      .join('; '),
  ),
  unknown_record: notFound(({ noun, id, nearest }) => unseen(`${noun} ${id}`, nearest)),
  name_and_id: conflict(
    ({ noun, word, named, name }) =>
      `${word} is the name of ${noun} ${named}, and the id of another one: use ${named} or ${name}`,
  ),
  list_unmigrated: conflict(
    ({ noun }) => `This table does not list each ${noun} yet`,
    () => ({ act: 'migrate' }),
  ),
  not_removable: forbidden(({ noun }) => `A ${noun} cannot be removed`),
  removal: conflict(
    ({ noun, id, name }) => `This removes ${noun} ${id} (${name})`,
    () => ({ act: 'agree' }),
  ),
  never_charged: conflict(
    ({ name, price }) => `${name} costs ${price}, and is never charged`,
    () => ({ act: 'agree' }),
  ),
  no_extension: conflict(({ refused }) => EXTENSIONS[refused]),
  device_limit: conflict(() => 'The limit of devices is reached'),
  device_has_dids: conflict(({ id }) => `Device ${id} has DIDs: give them to another device first`),
  device_in_rules: conflict(({ id }) => `Location rules use device ${id}: change them first`),
  days_reversed: invalid(({ from, till }) => `${from} is after ${till}: exchange them`),
  nothing_selected: invalid(() => 'Name an id, or something that selects CDRs'),
  drop: conflict(
    ({ count }) => `This deletes ${countOf(count, 'suspended CDR')} for good`,
    () => ({ act: 'agree' }),
  ),
  archived_days: conflict(
    ({ before }) => `Calls before ${before} are archived`,
    ({ before }) => ({ act: 'begin_at', day: before }),
  ),
  too_many_groups: conflict(
    ({ most }) =>
      `The report has more than ${most} rows: choose fewer dimensions or fewer days, or day as the first dimension`,
  ),
  unknown_archive: conflict(
    ({ day }) =>
      `Calls of ${day} are archived, and this process does not know the archive: set ARCHIVE_BUCKET to its bucket`,
  ),
  call_archived: conflict(
    () => 'The day of its call is archived, which is out of reach here',
    () => ({ act: 'retry_with_archive' }),
  ),
  rates_obstacle: conflict(
    ({ tariff, obstacle }) => `Tariff ${tariff} is not switched: ${OBSTACLES[obstacle]}`,
    ({ obstacle }) => (obstacle === 'no rows' ? undefined : { act: 'permit', obstacle }),
  ),
  other_rates: conflict(
    ({ tariff, by }) =>
      `Tariff ${tariff} has other rates than those that were compared${by ? `, by ${by.who} at ${by.at}` : ''}: preview again`,
  ),
  unfit_rates: conflict(({ tariff, says }) => `Tariff ${tariff} is not changed: ${says}`),

  not_of_yours: forbidden(({ username }) => `${username} is another account's: you may not change it`),
  own_account: forbidden(({ username }) => `${username} is your own account: another one changes it`),
  last_admin: conflict(
    ({ username }) => `${username} is the last active admin: add or unblock another admin before`,
  ),
  owns_customers: conflict(
    ({ username, customers }) =>
      `${username} has ${customers === 1 ? '1 customer, who stays' : `${customers} customers, who stay`} admitted`,
    () => ({ act: 'agree' }),
  ),

  setting_of_admins: forbidden(({ setting }) => `${setting} is set by admins only`),
  unfit_setting: invalid(({ says, value }) => (value === undefined ? says : `${says}, and not "${value}"`)),
  local_webhooks_deployed: conflict(
    () =>
      'Webhooks_On_This_Machine is for an installation on one machine: a deployed stage posts to public addresses only',
  ),
  subscriptions_undated: conflict(
    ({ zone }) => `Timezone stays ${zone}, since subscriptions of this table would move to other days`,
    () => ({ act: 'migrate' }),
  ),
  zone_with_calls: conflict(
    ({ before }) =>
      `Timezone stays ${before}, since calls are counted by its days: they have to be recounted`,
    ({ after }) => ({ act: 'move_timezone', zone: after }),
  ),
  wholesale_with_calls: conflict(
    ({ day, earliest }) =>
      `Wholesale_Customers: calls may be stored on ${day}: take ${earliest} or a later day, and keep what has begun`,
  ),
  calls_on_balance_day: conflict(
    ({ day }) => `Balance_From: there are calls on ${day}, which balances have to count`,
    () => ({ act: 'open_balances' }),
  ),
  before_balances: conflict(
    ({ setting, day, from }) =>
      `${setting}: ${day} is before Balance_From, ${from}: take that day or a later one`,
  ),

  no_hold_named: invalid(() => 'Name the holds to release, or those whose time is over'),
  unknown_hold: notFound(
    ({ username, hold }) => `${username} has no hold ${hold}`,
    () => ({ act: 'list', of: 'hold' }),
  ),
  no_holds: notFound(({ username }) => `${username} has no holds`),
  holds_changed: conflict(
    ({ username }) => `The holds of ${username} changed at the same time: run it again`,
  ),

  several_of_name: conflict(
    ({ noun, name, count }) => `${count} have the name ${name}: use the id of one ${noun}`,
  ),
  no_earlier_version: conflict(
    ({ tariff }) => `Tariff ${tariff} has no earlier version: there is nothing to roll back`,
  ),
  unknown_version: notFound(
    ({ tariff, version }) => `Tariff ${tariff} has no version ${version}`,
    ({ tariff }) => ({ act: 'list_versions', tariff: String(tariff) }),
  ),

  key_exists: conflict(
    ({ key }) => `The key ${key} exists: rotate it for a new secret, or revoke it and add it again`,
  ),
  unknown_method: invalid(
    ({ method, nearest }) => `There is no method with a caller ${method}${didYouMean(nearest)}`,
  ),
  too_many_keys: conflict(
    ({ most }) => `An account has at most ${most} keys: revoke one, or use another account`,
  ),
  keys_too_long: conflict(
    ({ most, need }) =>
      `The keys of an account have room for ${most} characters, and these need ${need}: name fewer methods or addresses`,
  ),

  unfit_url: invalid(({ says }, field) => `${field} ${says}`),
  unknown_event: invalid(
    ({ event, events }) => `There is no event "${event}": use some of ${events.join(', ')}, or all`,
  ),
  owner_without_customers: invalid(({ username }) => `${username} is neither a reseller nor a partner`),
  others_webhooks: forbidden(
    ({ username }) => `Webhooks of ${username} are added by this account, or by an admin`,
  ),
  mail_refused: invalid(({ says }) => says),
  too_many_webhooks: conflict(({ count }) => `There are ${count} endpoints: remove one first`),
  too_many_owners_of_webhooks: conflict(
    ({ count }) => `${count} accounts have endpoints: no other one can have some`,
  ),
  too_many_by_hand: of('too_many_requests')(
    ({ count }) =>
      `Within a minute, ${count} webhooks are tested, added or sent to again: wait for the next one`,
  ),
  unknown_delivery: notFound(
    ({ webhook, message, of: most }) =>
      `Nothing was sent to ${webhook} as ${message} within the last ${most} events`,
  ),

  second_source: conflict(
    ({ intake, sources }) =>
      `${sources.join(', ')} ${sources.length === 1 ? 'sends' : 'send'} CDRs without a unique id: if ${intake} is the same switch, it sends its calls again, and each is suspended as possible_duplicate. Let the switch write ids, or keep one name for it`,
    () => ({ act: 'agree' }),
  ),
  intake_exists: conflict(
    ({ intake }) => `The intake ${intake} exists: revoke it, then add it again for a new secret`,
    ({ intake }) => ({ act: 'revoke_intake', intake }),
  ),

  unknown_account: notFound(
    ({ account, nearest }) => unseen(`account ${account}`, nearest),
    ({ nearest }) => (nearest.length > 0 ? undefined : { act: 'list_accounts' }),
  ),
  customer_of_other: notFound(
    ({ owner }) => `This is a customer of account ${owner}, which alone records its customers' payments`,
    ({ owner }) => ({ act: 'act_as_owner', owner: String(owner) }),
  ),

  no_balances: conflict(
    () => 'Balance_From is blank, so no balances are kept',
    () => ({ act: 'open_balances' }),
  ),
  adjustment_of_0: invalid(() => 'The amount is 0: an adjustment adds or takes an amount'),

  unknown_currency: invalid(
    ({ currency }) => `There is no currency ${currency}`,
    ({ currency }) => ({ act: 'add_currency', currency }),
  ),
  beyond_minor_unit: invalid(
    ({ amount, currency, digits }) =>
      `${amount} ${currency} has more decimals than its money: it takes ${digits === 0 ? 'a whole number' : `${digits} at most`}`,
  ),
  day_in_future: invalid(({ day }) => `${day} is in the future: a payment is recorded when it was paid`),
  documents_unposted: conflict(
    () => 'Documents of earlier releases are not in the journal yet',
    () => ({ act: 'migrate' }),
  ),
  mails_off: conflict(
    () => 'Mail_From is blank, the address that mails come from',
    () => ({ act: 'set_setting', setting: 'Mail_From', value: 'ADDRESS' }),
  ),
  no_mail_address: conflict(({ account }) => `${account} has no email: set it, or name an address`),
  mailed: conflict(
    ({ number, to, state }) => `${number} ${MAIL_STATES[state]} ${to}`,
    () => ({ act: 'again' }),
  ),
  no_card_payment: conflict(({ number }) => `${number} cannot be paid by card here`),
  stripe_refused: conflict(({ problem }) => `Stripe takes no payment now: ${problem}`),
  no_sent_mail: conflict(({ number }) => `No mail of ${number} is out that could come back`),
  mailed_document_gone: conflict(({ number }) => `${number} is gone`),
  reminders_off: conflict(
    () => 'Reminder_Days is blank, the days after which customers are reminded',
    () => ({ act: 'set_setting', setting: 'Reminder_Days', value: '7,21,35' }),
  ),
  reminder_settled: conflict(() => 'nothing of it is open any more'),
  mail_too_large: conflict(
    ({ number, bytes, most }) =>
      `The files of ${number} have ${bytes} bytes, more than the ${most} that mail servers take: send them by other means`,
  ),
  unknown_credit_note: notFound(({ note }) => `There is no credit note ${note} that you have issued`),
  no_list_of_calls: conflict(
    ({ number }) => `${number} has no list of calls: only an invoice of a period has one`,
  ),
  document_files_unknown: conflict(
    ({ number }) =>
      `The files of ${number} are in the archive, which this process does not know: set ARCHIVE_BUCKET to its bucket`,
  ),
  document_file_lost: conflict(
    ({ number, file }) =>
      `${file}, a file of ${number}, is missing from the archive: bring it back from a backup`,
  ),
  no_billing_start: conflict(
    () => 'Invoices_From is blank, the first day to bill',
    () => ({ act: 'set_setting', setting: 'Invoices_From', value: 'DAY' }),
  ),
  billed_month_open: conflict(
    ({ month, zone }) => `${month} is not over in ${zone}: a month is billed when its last day has ended`,
  ),
  before_billing_start: conflict(
    ({ month, from }) => `${month} is before Invoices_From (${from}): its days were billed elsewhere`,
  ),
  invoice_without_period: conflict(
    ({ number }) =>
      `invoice ${number} has no period: import it with period_from and period_till, so that its days are not billed again`,
  ),
  earlier_month_unbilled: conflict(
    ({ named }) => `${named} is not issued`,
    ({ month, customer }) => ({ act: 'issue_month', month, customer }),
  ),
  uncharged: conflict(({ says }) => says),
  calls_in_suspense: conflict(
    ({ count }) => `${countOf(count, 'call')} of the month in suspense`,
    () => ({ act: 'retry_suspended' }),
  ),
  too_many_credit_rows: conflict(
    ({ count }) => `${count} rows are too many for a credit note`,
    () => ({ act: 'set_setting', setting: 'Invoice_Rows', value: 'all' }),
  ),
  too_many_charges: conflict(
    ({ month, most }) => `more than ${most} charges in ${month}: charge its services by the month`,
  ),
  no_exchange_rate: conflict(
    ({ currency }) => `${currency} has no exchange rate`,
    ({ currency }) => ({ act: 'add_currency', currency }),
  ),
  sold_by_another: conflict(() => 'the account has another owner by now'),
  too_many_carried: conflict(
    ({ most }) => `more than ${most} payments name the credited invoice: take some back`,
    () => ({ act: 'take_back_payments' }),
  ),
  too_many_calls: invalid(
    ({ calls, most }) => `The range has ${calls} calls, more than ${most}: choose fewer days`,
    ({ by }) => ({ act: 'at_terminal', task: 'report_calls', of: by }),
  ),
  too_many_documents: conflict(
    ({ most }) => `There are more than ${most} documents`,
    ({ report, customer }) => ({ act: 'at_terminal', task: `report_${report}`, of: customer }),
  ),
  too_many_bank_rows: invalid(
    ({ most }) => `The file has more than ${most} rows`,
    () => ({ act: 'at_terminal', task: 'import_bank_file', of: 'FILE' }),
  ),
  too_many_rates: invalid(
    ({ what, most }) => `${what} has more than ${most} rates`,
    ({ task, of }) => ({ act: 'at_terminal', task, of }),
  ),
  too_many_compared: invalid(
    ({ rates, most }) => `Both versions have ${rates} rates, more than ${most}`,
    ({ tariff }) => ({ act: 'at_terminal', task: 'compare_versions', of: tariff }),
  ),
  journal_too_large: conflict(
    () => 'The journal is too large for this page',
    ({ month }) => ({ act: 'at_terminal', task: 'write_journal', of: month }),
  ),
  document_too_large: conflict(
    () => 'The file is too large for this page, because of its list of calls',
    ({ number }) => ({ act: 'at_terminal', task: 'write_document', of: number }),
  ),
  archived_calls: conflict(
    () => 'Calls of it are archived',
    ({ number }) => ({ act: 'at_terminal', task: 'write_document', of: number }),
  ),
  archived_month: conflict(
    () => 'Days of the month are archived',
    ({ month }) => ({ act: 'at_terminal', task: 'issue_month', of: month }),
  ),
  month_not_over: invalid(({ month }) => `${month} is not over: only a past month is closed`),
  month_closed: conflict(({ month, till }) =>
    month === till ? `${month} is closed already` : `${month} is closed already, as all months up to ${till}`,
  ),
  earlier_month_open: conflict(
    ({ month }) => `Months are closed in order, and ${month} is open`,
    ({ month }) => ({ act: 'close_month', month }),
  ),
  no_seller: invalid(
    ({ account }) => `${account} sells nothing: a journal is that of a reseller or a partner`,
  ),
  no_journal_account: conflict(
    ({ setting, word }) =>
      word === ''
        ? `${setting} has no account`
        : `${setting} has no account for ${word}, and none for all others`,
    ({ setting, word }) => ({
      act: 'set_setting',
      setting,
      value: word === '' ? 'ACCOUNT' : `"${word}=ACCOUNT"`,
    }),
  ),
  no_rate_in_journal: conflict(
    ({ document, currency }) => `${document} is in ${currency}, which has no exchange rate`,
    ({ currency }) => ({ act: 'add_currency', currency }),
  ),
  wrong_debtor: conflict(
    ({ customer, account, first, last }) =>
      `${customer} would have the debtor's account ${account}: set debtor_account of ${customer} to one from ${first} to ${last}`,
  ),
  datev_size: conflict(({ most }) => `DATEV takes ${most} postings a file: write CSV`),
  datev_client: conflict(
    ({ client }) =>
      `DATEV_Client is ${client === '' ? 'blank' : `"${client}"`}, not the numbers of the adviser and the client`,
    () => ({ act: 'set_setting', setting: 'DATEV_Client', value: '29098/55003' }),
  ),
  datev_decimals: conflict(({ currency }) => `DATEV takes amounts of two decimals: ${currency} has others`),
  datev_account: conflict(
    ({ account }) =>
      `DATEV takes accounts of 4 to 8 digits, all of one length, and those of debtors with one more: ${account} is not one. It was posted with the settings Journal_... of its day: write CSV`,
  ),
  unknown_payment: notFound(
    ({ payment }) => unseen(`payment ${payment}`),
    () => ({ act: 'list_payments' }),
  ),
  taken_back: conflict(({ payment, by }) => `Payment ${payment} was taken back by payment ${by}`),
  takes_back: conflict(({ payment, other }) => `Payment ${payment} takes back payment ${other}`),
  never_completed: conflict(({ payment }) => `Payment ${payment} was never completed: it books nothing`),
  other_proposals: conflict(() => 'The rows are proposed otherwise than when you agreed: look at them again'),
  wrong_row_answer: invalid(
    ({ answer }) =>
      `"${answer}" answers no row: write the row, =, and the number of an invoice, @ and a customer, or skip`,
  ),
  row_booked: conflict(({ payment }) => `This row of the bank is booked already, as payment ${payment}`),
  refunds_other: conflict(({ payment, other }) => `Payment ${payment} is a refund of payment ${other}`),
  refunded: conflict(({ payment, by }) => `Payment ${payment} is refunded by payment ${by}: it stays`),
  nothing_unassigned: conflict(({ payment }) => `Nothing of payment ${payment} is unassigned`),
  more_than_unassigned: conflict(
    ({ payment, amount, unassigned }) =>
      `${amount} is too much: ${unassigned} of payment ${payment} is unassigned`,
  ),
  invoice_paid: conflict(({ number }) => `Nothing of invoice ${number} is open`),
  more_than_open: conflict(
    ({ number, amount, open }) => `${amount} is too much: ${open} of invoice ${number} is open`,
  ),
  too_many_invoices: conflict(
    ({ payment, most }) => `Payment ${payment} takes ${countOf(most, 'more invoice')} at once`,
  ),
  invoice_of_other_seller: conflict(
    ({ number }) => `Invoice ${number} is of another seller, whom this payment does not pay`,
  ),
  pays_no_invoice: conflict(({ payment, number }) =>
    number === ''
      ? `Payment ${payment} pays no invoice`
      : `Payment ${payment} does not pay invoice ${number}`,
  ),
  unknown_invoice: notFound(({ invoice, count }) =>
    count === 0
      ? `There is no invoice ${invoice} that you have sold`
      : `${count + 1} invoices have the number ${invoice}`,
  ),
  no_such_invoice: notFound(
    ({ number, customer }) => `There is no invoice ${number}${customer && ` of ${customer}`}`,
    ({ customer }) => ({ act: 'list_invoices', customer }),
  ),
  invoices_of_several: conflict(
    ({ number, customers }) => `The invoices ${number} of ${customers.join(' and ')} have one number`,
    ({ customers }) => ({ act: 'name_input', input: customers.length > 1 ? 'customer' : 'seller' }),
  ),
  rows_and_amount: invalid(() => 'Name either rows or an amount'),
  credit_of_imported: conflict(
    ({ number }) => `${number} was imported: credit it where it was issued, and import the credit note`,
  ),
  creditable_in_part: conflict(
    ({ number, since }) => `${number} is ${since}: credit rows or an amount of it, not all of it`,
  ),
  credit_of_0: conflict(() => 'The credited amount is not above 0'),
  more_than_creditable: conflict(
    ({ number, left }) => `Only ${left} of ${number} is left to credit, without VAT`,
  ),
  no_invoice_row: invalid(({ number, rows, row }) => `${number} has ${rows} rows: there is no row ${row}`),
  credit_too_long: conflict(
    ({ count }) => `${count} rows are too many for a credit note: credit some of them at once`,
  ),
  too_many_payers: conflict(
    ({ number, most }) => `More than ${most} payments pay ${number}: release some first`,
  ),
  several_invoices: conflict(
    ({ count, number, customer }) => `${count} invoices of ${customer} have the number ${number}`,
  ),
  invoice_credited: conflict(({ number, by }) => `Invoice ${number} is credited by ${by}`),
}

const MAIL_STATES: Readonly<Record<Refusals['mailed']['state'], string>> = {
  waiting: 'waits to be sent to',
  sending: 'is on its way to',
  sent: 'was sent to',
  refused: 'was refused by',
  bounced: 'came back from',
  in_doubt: 'may have been sent to',
}

const OBSTACLES: Readonly<Record<Refusals['rates_obstacle']['obstacle'], string>> = {
  'refused rows': 'some rows of the sheet are refused',
  'no rows': 'the sheet holds no rates',
  gaps: 'hours of the week have no price, or two',
  removals: 'many rates are removed',
}

const EXTENSIONS: Readonly<Record<Refusals['no_extension']['refused'], string>> = {
  no_extension: 'There is no free extension',
  extension_format: 'The extension takes digits, *, # and +',
  extension_taken: 'The extension is used already',
  extension_emergency: 'The extension is an emergency or service number',
}

/** A refusal for people. `nameField` spells the name of an input as the reader knows it. */
export function refusalForPeople(
  { code, values, field = '' }: Refusal,
  nameField?: (name: string) => string,
): { readonly kind: RefusalKind; readonly message: string; readonly remedy: RefusalRemedy | undefined } {
  const text = SENTENCES[code] as RefusalText<Refusals[RefusalCode]>
  const message = text.says(values, nameField?.(field) ?? field, nameField)
  return { kind: text.kind, message, remedy: text.remedy?.(values) }
}
