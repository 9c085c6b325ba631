import { fixed, subtract, ZERO } from '#lib/base/money.ts'
import { cutText } from '#lib/base/text.ts'
import { daysOfMonth, type Month } from '../month.ts'
import type { JournalEntry, JournalPart } from './journal.ts'
import { JournalRefused } from './journal-accounts.ts'
import type { JournalBooks } from './journal-csv.ts'

/*
 * The DATEV format, a batch of postings: header 700, category 21, version 13. Fields and a sample are on
 * https://developer.datev.de/datev/platform/de/dtvf/formate/buchungsstapel, /formate/header, /einstieg.
 */

const numbered = (count: number, names: (n: number) => string[]): string[] =>
  Array.from({ length: count }, (_, index) => names(index + 1)).flat()

export const DATEV_COLUMNS: readonly string[] = [
  ...['Umsatz (ohne Soll/Haben-Kz)', 'Soll/Haben-Kennzeichen', 'WKZ Umsatz', 'Kurs', 'Basis-Umsatz'],
  ...['WKZ Basis-Umsatz', 'Konto', 'Gegenkonto (ohne BU-Schlüssel)', 'BU-Schlüssel', 'Belegdatum'],
  ...['Belegfeld 1', 'Belegfeld 2', 'Skonto', 'Buchungstext', 'Postensperre', 'Diverse Adressnummer'],
  ...['Geschäftspartnerbank', 'Sachverhalt', 'Zinssperre', 'Beleglink'],
  ...numbered(8, (n) => [`Beleginfo - Art ${n}`, `Beleginfo - Inhalt ${n}`]),
  ...['KOST1 - Kostenstelle', 'KOST2 - Kostenstelle', 'Kost-Menge', 'EU-Land u. UStID (Bestimmung)'],
  ...['EU-Steuersatz (Bestimmung)', 'Abw. Versteuerungsart', 'Sachverhalt L+L', 'Funktionsergänzung L+L'],
  ...['BU 49 Hauptfunktionstyp', 'BU 49 Hauptfunktionsnummer', 'BU 49 Funktionsergänzung'],
  ...numbered(20, (n) => [`Zusatzinformation - Art ${n}`, `Zusatzinformation- Inhalt ${n}`]),
  ...['Stück', 'Gewicht', 'Zahlweise', 'Forderungsart', 'Veranlagungsjahr', 'Zugeordnete Fälligkeit'],
  ...['Skontotyp', 'Auftragsnummer', 'Buchungstyp', 'USt-Schlüssel (Anzahlungen)', 'EU-Land (Anzahlungen)'],
  ...['Sachverhalt L+L (Anzahlungen)', 'EU-Steuersatz (Anzahlungen)', 'Erlöskonto (Anzahlungen)'],
  ...['Herkunft-Kz', 'Buchungs GUID', 'KOST-Datum', 'SEPA-Mandatsreferenz', 'Skontosperre'],
  ...['Gesellschaftername', 'Beteiligtennummer', 'Identifikationsnummer', 'Zeichnernummer'],
  ...['Postensperre bis', 'Bezeichnung SoBil-Sachverhalt', 'Kennzeichen SoBil-Buchung', 'Festschreibung'],
  ...['Leistungsdatum', 'Datum Zuord. Steuerperiode', 'Fälligkeit', 'Generalumkehr (GU)', 'Steuersatz'],
  ...['Land', 'Abrechnungsreferenz', 'BVV-Position', 'EU-Land u. UStID (Ursprung)'],
  ...['EU-Steuersatz (Ursprung)', 'Abw. Skontokonto'],
]

/** The client of the tax adviser, and when the file is written. */
export interface DatevBatch extends JournalBooks {
  readonly month: Month
  /** The numbers of the adviser and of the client: `29098/55003`. */
  readonly client: string
  readonly now: Date
  /** The account of receivables: each customer has an account of debtors in its place. */
  readonly receivables: string
  /** The length of the numbers of accounts. Those of debtors have one digit more. */
  readonly accountDigits: number
}

/** A file has at most this number of postings. */
const MAX_POSTINGS = 99_999

/** A batch of postings, as Windows-1252. Throws JournalRefused. */
export async function* datevBatch(
  entries: AsyncIterable<JournalEntry>,
  batch: DatevBatch,
): AsyncGenerator<Uint8Array> {
  requireDatev(batch)
  let count = 0
  yield windows1252(headOf(batch))
  for await (const entry of entries) {
    count += entry.parts.length
    if (count > MAX_POSTINGS)
      throw new JournalRefused(`DATEV takes ${MAX_POSTINGS} postings a file: write CSV`)
    for (const part of entry.parts) yield windows1252(postingOf(entry, part, batch))
  }
}

function requireDatev({ client, digits, currency }: DatevBatch): void {
  if (!/^[1-9]\d{3,6}\/[1-9]\d{0,4}$/.test(client))
    throw new JournalRefused(
      `DATEV_Client is ${client === '' ? 'blank' : `"${client}"`}: set the numbers of the adviser and the client, such as 29098/55003`,
    )
  if (digits !== 2) throw new JournalRefused(`DATEV takes amounts of two decimals: ${currency} has others`)
}

function required(account: string, { accountDigits }: DatevBatch): string {
  if (/^\d{4,8}$/.test(account) && account.length === accountDigits) return account
  throw new JournalRefused(
    `DATEV takes accounts of 4 to 8 digits, all of one length: ${account} is not one: see the settings Journal_...`,
  )
}

/** Accounts of debtors begin with 1 to 6, those of creditors with 7 to 9. */
function debtorOf({ debtor, customer }: JournalEntry, { accountDigits }: DatevBatch): string {
  const first = 10 ** accountDigits
  const account = debtor.account || String(first + debtor.id)
  if (/^[1-6]/.test(account) && account.length === accountDigits + 1) return account
  throw new JournalRefused(
    `${customer} would have the debtor's account ${account}: set debtor_account of ${customer} to one from ${first} to ${7 * first - 1}`,
  )
}

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`

const lineOf = (fields: readonly string[]): string => `${fields.join(';')}\r\n`

const compact = (day: string): string => day.replaceAll('-', '')

function headOf({ client, month, currency, now, accountDigits }: DatevBatch): string {
  const [adviser = '', number = ''] = client.split('/')
  const { from, till } = daysOfMonth(month)
  const created = now.toISOString().replaceAll(/\D/g, '')
  return (
    lineOf([
      ...[quoted('EXTF'), '700', '21', quoted('Buchungsstapel'), '13', created, '', '""', '""', '""'],
      ...[adviser, number, `${from.slice(0, 4)}0101`, String(accountDigits), compact(from), compact(till)],
      ...[quoted(`Telefonie ${month}`), '""', '1', '0', '0', quoted(currency)],
      ...['', '""', '', '', '""', '', '', '""', '""'],
    ]) + lineOf(DATEV_COLUMNS)
  )
}

const WORDS = { invoice: 'Rechnung', 'credit note': 'Gutschrift', payment: 'Zahlung' } as const

function postingOf(entry: JournalEntry, { account, amount }: JournalPart, batch: DatevBatch): string {
  const isCredit = amount.startsWith('-')
  const [, month = '', day = ''] = entry.day.split('-')
  const text = `${WORDS[entry.kind]} ${entry.number} ${entry.customer}`.replaceAll(/\p{Cc}+/gu, ' ')
  const accountIn = (one: string) =>
    one === batch.receivables ? debtorOf(entry, batch) : required(one, batch)
  const filled: Readonly<Record<string, string>> = {
    'Umsatz (ohne Soll/Haben-Kz)': fixed(isCredit ? subtract(ZERO, amount) : amount, 2).replace('.', ','),
    'Soll/Haben-Kennzeichen': quoted(isCredit ? 'H' : 'S'),
    'WKZ Umsatz': quoted(batch.currency),
    Konto: accountIn(entry.account),
    'Gegenkonto (ohne BU-Schlüssel)': accountIn(account),
    Belegdatum: `${day}${month}`,
    'Belegfeld 1': quoted(entry.number.replaceAll(/[^\w$&%*+/-]/g, '').slice(0, 36)),
    Buchungstext: quoted(cutText(text, 60)),
    Festschreibung: '0',
    Fälligkeit: entry.due === undefined ? '' : entry.due.split('-').reverse().join(''),
  }
  return lineOf(DATEV_COLUMNS.map((name) => filled[name] ?? ''))
}

/** The characters that Windows-1252 has in place of control characters. */
const SPECIAL: ReadonlyMap<string, number> = new Map(
  Array.from({ length: 32 }, (_, index) => 0x80 + index).map((byte) => [
    new TextDecoder('windows-1252').decode(Uint8Array.of(byte)),
    byte,
  ]),
)

/** Letters that Windows-1252 lacks lose their accents, and all others become question marks. */
function windows1252(text: string): Uint8Array {
  const byteOf = (character: string): number | undefined => {
    const code = character.codePointAt(0) ?? 0
    return code < 0x80 || (code >= 0xa0 && code <= 0xff) ? code : SPECIAL.get(character)
  }
  return Uint8Array.from(text.normalize('NFC'), (character) => {
    const [plain = '?'] = character.normalize('NFD')
    return byteOf(character) ?? byteOf(plain) ?? 0x3f
  })
}
