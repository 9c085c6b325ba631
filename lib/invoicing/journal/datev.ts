import type { Day } from '#lib/base/calendar.ts'
import { minorDigits } from '#lib/base/currency-digits.ts'
import { fixed, isZero, subtract, ZERO } from '#lib/base/money.ts'
import { Refusal } from '#lib/base/refusal.ts'
import { cutText } from '#lib/base/text.ts'
import type { PostedKind } from '#lib/billing/journal/posting.ts'
import { daysOfMonth, type Month } from '../month.ts'
import type { JournalEntry, JournalLine, NumberedEntry } from './entry.ts'

declare module '#lib/base/refusal.ts' {
  interface Refusals {
    readonly datev_size: { readonly most: number }
    readonly datev_client: { readonly client: string }
    readonly datev_decimals: { readonly currency: string }
    readonly datev_account: { readonly account: string }
  }
}

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

/** The client of the tax adviser, and when the entries were exported for the first time. */
export interface DatevBatch {
  readonly month: Month
  readonly currency: string
  /** The numbers of the adviser and of the client: `29098/55003`. */
  readonly client: string
  readonly at: Date
  /** The length of the numbers of accounts. Those of debtors have one digit more. */
  readonly accountDigits: number
}

/** A file has at most this number of postings. */
const MAX_POSTINGS = 99_999

/** A batch of postings, as Windows-1252. A posting of 0,00 is not permitted. Throws Refusal. */
export async function* datevBatch(
  entries: AsyncIterable<NumberedEntry>,
  batch: DatevBatch,
): AsyncGenerator<Uint8Array> {
  requireDatev(batch)
  let count = 0
  yield windows1252(headOf(batch))
  for await (const [, entry] of entries) {
    const [main, ...lines] = entry.lines
    const parts = lines.filter((line) => !isZero(line.amount))
    count += parts.length
    if (count > MAX_POSTINGS) throw new Refusal('datev_size', { most: MAX_POSTINGS })
    for (const part of parts) if (main) yield windows1252(postingOf(entry, main, part, batch))
  }
}

function requireDatev({ client, currency }: DatevBatch): void {
  if (!/^[1-9]\d{3,6}\/[1-9]\d{0,4}$/.test(client)) throw new Refusal('datev_client', { client })
  if (minorDigits(currency) !== 2) throw new Refusal('datev_decimals', { currency })
}

function accountIn({ account, debtor }: JournalLine, { accountDigits }: DatevBatch): string {
  if (debtor !== undefined && /^[1-6]\d+$/.test(debtor) && debtor.length === accountDigits + 1) return debtor
  if (debtor === undefined && /^\d{4,8}$/.test(account) && account.length === accountDigits) return account
  throw new Refusal('datev_account', { account: debtor ?? account })
}

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`

const lineOf = (fields: readonly string[]): string => `${fields.join(';')}\r\n`

const compact = (day: string): string => day.replaceAll('-', '')

function headOf({ client, month, currency, at, accountDigits }: DatevBatch): string {
  const [adviser = '', number = ''] = client.split('/')
  const { from, till } = daysOfMonth(month)
  const created = at.toISOString().replaceAll(/\D/g, '')
  return (
    lineOf([
      ...[quoted('EXTF'), '700', '21', quoted('Buchungsstapel'), '13', created, '', '""', '""', '""'],
      ...[adviser, number, `${from.slice(0, 4)}0101`, String(accountDigits), compact(from), compact(till)],
      ...[quoted(`Telefonie ${month}`), '""', '1', '0', '0', quoted(currency)],
      ...['', '""', '', '', '""', '', '', '""', '""'],
    ]) + lineOf(DATEV_COLUMNS)
  )
}

const WORDS: Readonly<Record<PostedKind, string>> = {
  invoice: 'Rechnung',
  'from balance': 'Guthaben',
  'credit note': 'Gutschrift',
  payment: 'Zahlung',
  adjustment: 'Korrektur',
}

/** A day of performance is taken only with the day whose tax period counts, that of the posting. */
function postingOf(entry: JournalEntry, main: JournalLine, part: JournalLine, batch: DatevBatch): string {
  const isCredit = !part.amount.startsWith('-')
  const [, month = '', day = ''] = entry.day.split('-')
  const text = [WORDS[entry.kind], entry.number, entry.customer, entry.text ?? ''].join(' ').trimEnd()
  const filled: Readonly<Record<string, string>> = {
    'Umsatz (ohne Soll/Haben-Kz)': fixed(isCredit ? part.amount : subtract(ZERO, part.amount), 2).replace(
      '.',
      ',',
    ),
    'Soll/Haben-Kennzeichen': quoted(isCredit ? 'H' : 'S'),
    'WKZ Umsatz': quoted(batch.currency),
    Konto: accountIn(main, batch),
    'Gegenkonto (ohne BU-Schlüssel)': accountIn(part, batch),
    'BU-Schlüssel': part.tax_key === undefined ? '' : quoted(part.tax_key),
    Belegdatum: `${day}${month}`,
    'Belegfeld 1': quoted(entry.number.replaceAll(/[^\w$&%*+/-]/g, '').slice(0, 36)),
    Buchungstext: quoted(cutText(text.replaceAll(/\p{Cc}+/gu, ' '), 60)),
    Festschreibung: '0',
    Leistungsdatum: dayText(entry.period_till),
    'Datum Zuord. Steuerperiode': dayText(entry.period_till && entry.day),
    Fälligkeit: dayText(entry.due),
  }
  return lineOf(DATEV_COLUMNS.map((name) => filled[name] ?? ''))
}

const dayText = (day: Day | undefined): string => day?.split('-').reverse().join('') ?? ''

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
