import type { Refusals } from '#lib/base/refusal.ts'
import { countOf } from '#lib/base/text.ts'
import { type Sentences, saysConflict, saysInvalid, saysNotFound, unknownOrHidden } from './refusal-text.ts'

/** Balances, payments, invoices, months, mails and the journal. */
export const MONEY_SENTENCES = {
  unfit_e_invoice: saysConflict(
    ({ number, form, lacks, isFrozen }) =>
      `${number} cannot be ${form}: it lacks ${lacks.join('; ')}${isFrozen ? '. It keeps the facts of its issue: what is set now counts for documents that are issued later' : ''}`,
  ),
  unfit_format: saysConflict(
    ({ customer, form, lacks }) =>
      `The invoices of ${customer} cannot be ${form}: they lack ${lacks.join('; ')}`,
  ),
  no_balances: saysConflict(
    () => 'Balance_From is blank, so no balances are kept',
    () => ({ act: 'open_balances' }),
  ),
  adjustment_of_0: saysInvalid(() => 'The amount is 0: an adjustment adds or takes an amount'),
  unknown_currency: saysInvalid(
    ({ currency }) => `There is no currency ${currency}`,
    ({ currency }) => ({ act: 'add_currency', currency }),
  ),
  beyond_minor_unit: saysInvalid(
    ({ amount, currency, digits }) =>
      `${amount} ${currency} has more decimals than its money: it takes ${digits === 0 ? 'a whole number' : `${digits} at most`}`,
  ),
  day_in_future: saysInvalid(({ day }) => `${day} is in the future: a payment is recorded when it was paid`),
  documents_unposted: saysConflict(
    () => 'Documents of earlier releases are not in the journal yet',
    () => ({ act: 'migrate' }),
  ),
  mails_off: saysConflict(
    () => 'Mail_From is blank, the address that mails come from',
    () => ({ act: 'set_setting', setting: 'Mail_From', value: 'ADDRESS' }),
  ),
  no_mail_address: saysConflict(({ account }) => `${account} has no email: set it, or name an address`),
  no_page: saysConflict(
    ({ setting }) =>
      `${setting} is ${setting === 'Page_Address' ? 'blank' : 'off'}: a link has no page to lead to`,
    ({ setting }) => ({ act: 'set_setting', setting, value: setting === 'Page_Address' ? 'ADDRESS' : 'on' }),
  ),
  operators_password: saysConflict(
    ({ username }) =>
      `${username} is an operator, whose password no mail replaces: set it as another admin or at the terminal`,
  ),
  invited_account_gone: saysConflict(() => 'The account is gone or blocked, or has another email'),
  mailed: saysConflict(
    ({ number, to, state }) => `${number} ${MAIL_STATES[state]} ${to}`,
    () => ({ act: 'again' }),
  ),
  no_card_payment: saysConflict(({ number }) => `${number} cannot be paid by card here`),
  stripe_refused: saysConflict(({ problem }) => `Stripe takes no payment now: ${problem}`),
  no_sent_mail: saysConflict(({ number }) => `No mail of ${number} is out that could come back`),
  mailed_document_gone: saysConflict(({ number }) => `${number} is gone`),
  reminders_off: saysConflict(
    () => 'Reminder_Days is blank, the days after which customers are reminded',
    () => ({ act: 'set_setting', setting: 'Reminder_Days', value: '7,21,35' }),
  ),
  reminder_settled: saysConflict(() => 'nothing of it is open any more'),
  mail_too_large: saysConflict(
    ({ number, bytes, most }) =>
      `The files of ${number} have ${bytes} bytes, more than the ${most} that mail servers take: send them by other means`,
  ),
  unknown_credit_note: saysNotFound(({ note }) => `There is no credit note ${note} that you have issued`),
  no_list_of_calls: saysConflict(
    ({ number }) => `${number} has no list of calls: only an invoice of a period has one`,
  ),
  document_files_unknown: saysConflict(
    ({ number }) =>
      `The files of ${number} are in the archive, which this process does not know: set ARCHIVE_BUCKET to its bucket`,
  ),
  document_file_lost: saysConflict(
    ({ number, file }) =>
      `${file}, a file of ${number}, is missing from the archive: bring it back from a backup`,
  ),
  no_billing_start: saysConflict(
    () => 'Invoices_From is blank, the first day to bill',
    () => ({ act: 'set_setting', setting: 'Invoices_From', value: 'DAY' }),
  ),
  billed_month_open: saysConflict(
    ({ month, zone }) => `${month} is not over in ${zone}: a month is billed when its last day has ended`,
  ),
  billed_by_other: saysConflict(
    ({ username, owner }) => `${username} is billed by ${owner}`,
    ({ owner }) => ({ act: 'name_input', input: 'seller', value: owner }),
  ),
  before_billing_start: saysConflict(
    ({ month, from }) => `${month} is before Invoices_From (${from}): its days were billed elsewhere`,
  ),
  invoice_without_period: saysConflict(
    ({ number }) =>
      `invoice ${number} has no period: import it with period_from and period_till, so that its days are not billed again`,
  ),
  month_billed: saysConflict(
    ({ month, customer, number }) =>
      `${month} of ${customer} is ${number === '' ? 'issued, with nothing to bill' : `on ${number}`}: the next month bills what came later`,
    ({ customer }) => ({ act: 'list_invoices', customer }),
  ),
  earlier_month_unbilled: saysConflict(
    ({ named }) => `${named} is not issued`,
    ({ month, customer }) => ({ act: 'issue_month', month, customer }),
  ),
  uncharged: saysConflict(({ says }) => says),
  calls_in_suspense: saysConflict(
    ({ count }) => `${countOf(count, 'call')} of the month in suspense`,
    () => ({ act: 'retry_suspended' }),
  ),
  too_many_credit_rows: saysConflict(
    ({ count }) => `${count} rows are too many for a credit note`,
    () => ({ act: 'set_setting', setting: 'Invoice_Rows', value: 'all' }),
  ),
  too_many_charges: saysConflict(
    ({ month, most }) => `more than ${most} charges in ${month}: charge its services by the month`,
  ),
  no_exchange_rate: saysConflict(
    ({ currency }) => `${currency} has no exchange rate`,
    ({ currency }) => ({ act: 'add_currency', currency }),
  ),
  sold_by_another: saysConflict(() => 'the account has another owner by now'),
  too_many_carried: saysConflict(
    ({ most }) => `more than ${most} payments name the credited invoice: release some`,
    () => ({ act: 'release_payments' }),
  ),
  too_many_documents: saysConflict(
    ({ most }) => `There are more than ${most} documents`,
    ({ report, customer }) => ({ act: 'at_terminal', task: `report_${report}`, of: customer }),
  ),
  too_many_rows: saysInvalid(
    ({ most }) => `The file has more than ${most}`,
    ({ task, of }) => ({ act: 'at_terminal', task, of }),
  ),
  journal_too_large: saysConflict(
    () => 'The journal is too large for this page',
    ({ month }) => ({ act: 'at_terminal', task: 'write_journal', of: month }),
  ),
  document_too_large: saysConflict(
    () => 'The file is too large for this page, because of its list of calls',
    ({ number }) => ({ act: 'at_terminal', task: 'write_document', of: number }),
  ),
  charges_off: saysConflict(
    () => 'Charges_From is blank, so subscriptions are not charged',
    () => ({ act: 'set_setting', setting: 'Charges_From', value: 'DAY' }),
  ),
  archived_calls: saysConflict(
    () => 'Calls of it are archived',
    ({ number }) => ({ act: 'at_terminal', task: 'write_document', of: number }),
  ),
  archived_month: saysConflict(
    () => 'Days of the month are archived',
    ({ month }) => ({ act: 'at_terminal', task: 'issue_month', of: month }),
  ),
  month_not_over: saysInvalid(({ month }) => `${month} is not over: only a past month is closed`),
  month_closed: saysConflict(({ month, till }) =>
    month === till ? `${month} is closed already` : `${month} is closed already, as all months up to ${till}`,
  ),
  earlier_month_open: saysConflict(
    ({ month }) => `Months are closed in order, and ${month} is open`,
    ({ month }) => ({ act: 'close_month', month }),
  ),
  no_seller: saysInvalid(
    ({ account }) => `${account} sells nothing: a journal is that of a reseller or a partner`,
  ),
  no_journal_account: saysConflict(
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
  no_rate_in_journal: saysConflict(
    ({ document, currency }) => `${document} is in ${currency}, which has no exchange rate`,
    ({ currency }) => ({ act: 'add_currency', currency }),
  ),
  wrong_debtor: saysConflict(
    ({ customer, account, first, last }) =>
      `${customer} would have the debtor's account ${account}: set debtor_account of ${customer} to one from ${first} to ${last}`,
  ),
  datev_size: saysConflict(({ most }) => `DATEV takes ${most} postings a file: write CSV`),
  datev_client: saysConflict(
    ({ client }) =>
      `DATEV_Client is ${client === '' ? 'blank' : `"${client}"`}, not the numbers of the adviser and the client`,
    () => ({ act: 'set_setting', setting: 'DATEV_Client', value: '29098/55003' }),
  ),
  datev_decimals: saysConflict(
    ({ currency }) => `DATEV takes amounts of two decimals: ${currency} has others`,
  ),
  datev_account: saysConflict(
    ({ account }) =>
      `DATEV takes accounts of 4 to 8 digits, all of one length, and those of debtors with one more: ${account} is not one. It was posted with the settings Journal_... of its day: write CSV`,
  ),
  unknown_payment: saysNotFound(
    ({ payment }) => unknownOrHidden(`payment ${payment}`),
    () => ({ act: 'list_payments' }),
  ),
  taken_back: saysConflict(({ payment, by }) => `Payment ${payment} was taken back by payment ${by}`),
  takes_back: saysConflict(({ payment, other }) => `Payment ${payment} takes back payment ${other}`),
  never_completed: saysConflict(({ payment }) => `Payment ${payment} was never completed: it books nothing`),
  other_proposals: saysConflict(
    () => 'The rows are proposed otherwise than when you agreed: look at them again',
  ),
  wrong_row_answer: saysInvalid(
    ({ answer }) =>
      `"${answer}" answers no row: write the row, =, and the number of an invoice, @ and a customer, or skip`,
  ),
  row_booked: saysConflict(({ payment }) => `This row of the bank is booked already, as payment ${payment}`),
  refunds_other: saysConflict(({ payment, other }) => `Payment ${payment} is a refund of payment ${other}`),
  refunded: saysConflict(
    ({ payment, by }) => `Payment ${payment} is refunded by payment ${by}: it cannot be taken back`,
  ),
  nothing_unassigned: saysConflict(({ payer }) => `${payer} has no unassigned amount`),
  more_than_unassigned: saysConflict(
    ({ payer, amount, unassigned }) => `${amount} is too much: ${unassigned} of ${payer} is unassigned`,
  ),
  invoice_paid: saysConflict(({ number }) => `Invoice ${number} has no open amount`),
  more_than_open: saysConflict(
    ({ number, amount, open }) => `${amount} is too much: ${open} of invoice ${number} is open`,
  ),
  too_many_invoices: saysConflict(
    ({ payer, most }) => `At most ${countOf(most, 'more invoice')} can be paid by ${payer} at once`,
  ),
  other_seller: saysConflict(
    ({ number }) => `Invoice ${number} is of another seller, whom this payment does not pay`,
  ),
  note_of_other_rate: saysConflict(
    ({ note, number }) =>
      `Credit note ${note} has another currency or rate than invoice ${number}: it pays those of its own`,
  ),
  pays_no_invoice: saysConflict(({ payer, number }) =>
    number === '' ? `No invoice is paid by ${payer}` : `Invoice ${number} is not paid by ${payer}`,
  ),
  unknown_invoice: saysNotFound(
    ({ number, customer, found }) =>
      found.length === 0
        ? unknownOrHidden(`invoice ${number}${customer && ` of ${customer}`}`)
        : `${found.length} invoices of ${[...new Set(found)].join(' and ')} have the number ${number}: name the customer, the seller or the id`,
    ({ customer }) => ({ act: 'list_invoices', customer }),
  ),
  rows_and_amount: saysInvalid(() => 'Name either rows or an amount'),
  credit_of_imported: saysConflict(
    ({ number }) => `${number} was imported: credit it where it was issued, and import the credit note`,
  ),
  creditable_in_part: saysConflict(
    ({ number, since }) => `${number} is ${since}: credit rows or an amount of it, not all of it`,
  ),
  credit_of_0: saysConflict(() => 'The credited amount is not above 0'),
  more_than_creditable: saysConflict(
    ({ number, left }) => `Only ${left} of ${number} is left to credit, without VAT`,
  ),
  no_invoice_row: saysInvalid(
    ({ number, rows, row }) => `${number} has ${rows} rows: there is no row ${row}`,
  ),
  credit_too_long: saysConflict(
    ({ count }) => `${count} rows are too many for a credit note: credit some of them at once`,
  ),
  too_many_payers: saysConflict(
    ({ number, most }) => `More than ${most} payments pay ${number}: release some first`,
  ),
  invoice_credited: saysConflict(({ number, by }) => `Invoice ${number} is credited by ${by}`),
} satisfies Partial<Sentences>

const MAIL_STATES: Readonly<Record<Refusals['mailed']['state'], string>> = {
  waiting: 'waits to be sent to',
  sending: 'is on its way to',
  sent: 'was sent to',
  refused: 'was refused by',
  bounced: 'came back from',
  in_doubt: 'may have been sent to',
}
