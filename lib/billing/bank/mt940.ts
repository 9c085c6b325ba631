import { addDays, type Day } from '#lib/base/calendar.ts'
import { isDay } from '#lib/base/day.ts'
import { type Money, moneyOf } from '#lib/base/money.ts'
import { fileRefused } from '#lib/base/row-refused.ts'
import { decodeText } from '#lib/csv/encoding.ts'
import { type BankEntry, oneLine } from './bank-row.ts'

/** A field of a message: its tag, and its lines. */
interface Field {
  readonly tag: string
  readonly lines: string[]
}

/** Whether a text has fields of MT940. */
export const isMt940 = (start: string): boolean => /^:(20|25|28C?|60[FM]|61):/m.test(start)

/**
 * Reads MT940 as banks write it. The text of :86: has fields of German and Polish banks (`?20`), words
 * between slashes of Dutch ones (`/REMI/`), words before colons of mBank (`TYT.:`), or no form. Throws
 * refused_file.
 */
export async function* readMt940(bytes: Uint8Array): AsyncGenerator<BankEntry> {
  let of = { account: '', currency: '', statement: 0 }
  let open: Line | undefined
  let details: string[] = []
  for (const { tag, lines } of fieldsOf(decodeText(bytes))) {
    if (tag === '86') {
      details.push(...lines)
      continue
    }
    if (open) yield { ...of, ...entryOf(open, details) }
    open = tag === '61' ? lineIn(lines) : undefined
    details = []
    of = { ...of, ...statementIn(tag, lines[0] ?? '', of.statement) }
  }
  if (open) yield { ...of, ...entryOf(open, details) }
}

/** The fact of a field that holds for all lines after it. */
function statementIn(tag: string, text: string, statement: number) {
  if (tag === '25') return { account: text.trim() }
  if (tag.startsWith('28') && !isLaterPage(text)) return { statement: statement + 1 }
  // MT942 has no balances, and a floor limit.
  if (tag === '34F') return { currency: text.slice(0, 3) }
  return /^60[FM]$/.test(tag) ? { currency: currencyIn(text) } : {}
}

const isLaterPage = (number: string): boolean => Number(/\/(\d+)\s*$/.exec(number)?.[1] ?? 1) > 1

const currencyIn = (balance: string): string => /^[CD]\d{6}([A-Z]{3})/.exec(balance)?.[1] ?? ''

/** A field lasts until the next one, or until the end of its message. */
function* fieldsOf(text: string): Generator<Field> {
  let field: Field = { tag: '', lines: [] }
  for (const written of text.replaceAll('\r', '').split('\n')) {
    const line = written.replace(/^.*\{4:/, '')
    const [all = '', tag = ''] = /^(?::(\d\d[A-Z]?|NS):|-(?:\}|X*\s*$))/.exec(line) ?? []
    if (all === '') {
      field.lines.push(line)
      continue
    }
    if (field.tag !== '') yield field
    field = { tag, lines: [line.slice(all.length)] }
  }
  if (field.tag !== '') yield field
}

interface Line {
  readonly day: Day
  readonly amount: Money
  readonly isCredit: boolean
  readonly isReversal: boolean
  readonly code: string
  readonly ids: readonly string[]
  readonly supplement: string
  /** Rabobank writes the other account and its name in place of a reference. */
  readonly payer: string
  readonly payerAccount: string
}

/** The days of value and of booking, C or D (R before it reverses one), the amount, the kind, references. */
const LINE =
  /^(\d{6})(\d{4}|\s{4})?(R?)([CD])[A-Z]?\s*(\d[\d ]*(?:[,.]\d*)?)(?![\d.,'])\s*([NSF]\S{3}|[NSF].{0,3})?(.*)$/s

function lineIn(lines: readonly string[]): Line {
  const [first = '', second = ''] = lines
  const isWrapped = !LINE.test(first)
  const text = isWrapped ? first + second : first
  const [, value = '', booked = '', reversal, mark, amount = '', code = '', refs = ''] = LINE.exec(text) ?? []
  const sum = moneyOf(amount.replaceAll(' ', '').replace(',', '.').replace(/\.$/, ''))
  if (mark === undefined || sum === undefined)
    throw fileRefused(`The file is not MT940: ":61:${first.slice(0, 60)}" has no day and amount`)
  const [whole = '', bank = ''] = refs.split('//')
  const [, own = whole.trim(), payer = ''] = /^(\S+) {2,}(\S.*)$/.exec(whole) ?? []
  return {
    day: dayIn(value, booked.trim()),
    amount: sum,
    isCredit: (mark === 'C') !== (reversal === 'R'),
    isReversal: reversal === 'R',
    code,
    ids: [payer === '' ? own : '', bank.trim()].filter(isId),
    ...{ payer, payerAccount: payer !== '' && isId(own) ? own : '' },
    supplement: lines.slice(isWrapped ? 2 : 1).join(' '),
  }
}

const isId = (text: string): boolean => !/^(NONREF|EREF\+?|KREF\+?|MREF\+?|)$/i.test(text)

/** The day of booking has the year that is nearest to the value day. Some banks write 30 February. */
function dayIn(value: string, booked: string): Day {
  const valued = `20${value.slice(0, 2)}-${value.slice(2, 4)}-${value.slice(4, 6)}`
  const year = Number(valued.slice(0, 4))
  const days = [year, year + 1, year - 1]
    .map((one) => `${one}-${booked.slice(0, 2)}-${booked.slice(2, 4)}`)
    .filter((day) => booked !== '' && isDay(day))
  const distance = (day: Day) => Math.abs(Date.parse(day) - Date.parse(valued))
  const nearest = isDay(valued) ? days.toSorted((one, other) => distance(one) - distance(other))[0] : days[0]
  const found = nearest ?? (isDay(valued) ? valued : addDays(`${valued.slice(0, 7)}-01`, 27))
  if (!isDay(found)) throw fileRefused(`The file is not MT940: ":61:${value}" has no day`)
  return found
}

/** German banks mark returned payments by code, others by the kind of line or by a word. */
const RETURN_CODES = /^(108|109|159|181)$/
const RETURN_KIND = /^[NFS](RTI|RET)/

interface Said {
  readonly payer?: string
  readonly payerAccount?: string
  readonly text: string
  readonly reference?: string
  readonly ids?: readonly (string | undefined)[]
  readonly original?: string
  readonly isReturn?: boolean
}

function entryOf(
  line: Line,
  lines: readonly string[],
): Omit<BankEntry, 'account' | 'currency' | 'statement'> {
  const said = ofAsn(line, lines) ?? saidIn(lines)
  const originally = /\/OCMT\/[A-Z]{3}(\d{1,15},\d{0,6})/.exec(line.supplement)?.[1] ?? said.original
  const original = originally && moneyOf(originally.replace(',', '.').replace(/\.$/, ''))
  const isReturn = line.isReversal || RETURN_KIND.test(line.code) || said.isReturn === true
  const { payer = line.payer, payerAccount = line.payerAccount, text, reference = '', ids = [] } = said
  return {
    ...{ day: line.day, amount: line.amount, isCredit: line.isCredit, isReturn },
    ...{ payer: oneLine(payer), payerAccount: payerAccount.replace(/\s/g, '') },
    text: oneLine(text),
    references: reference === '' ? [] : [reference.replace(/\s/g, '')],
    ids: [...new Set([...line.ids, ...ids.map((id) => (id ?? '').trim())])].filter(
      (id) => id !== '' && id !== payerAccount && !/^NOTPROVIDED$/i.test(id),
    ),
    ...(isReturn && original && { original }),
  }
}

/** ASN and SNS write the other account as the reference, its name below it, and both once more. */
function ofAsn(
  { ids: [payerAccount], supplement: payer }: Line,
  [first, ...lines]: readonly string[],
): Said | undefined {
  const isAsn = payerAccount !== undefined && payer !== '' && first === `${payerAccount} ${payer}`
  return isAsn ? { payer, payerAccount, text: unwrapped(lines.map((line) => line.trim())) } : undefined
}

function saidIn(lines: readonly string[]): Said {
  const joined = lines.join('')
  const [, code, mark] = /^\s*(\d{3})\s?([?<>~^|])\d\d/.exec(joined) ?? []
  if (code !== undefined && mark !== undefined) return withFields(code, mark, joined)
  if (/\/(REMI|NAME|EREF|BENM|ORDP|CNTP|TRTP|RTRN)\//.test(joined)) return withWords(joined)
  const text = unwrapped(lines)
  return /\b(TYT|OD)\.?:/.test(text) ? withTitles(text) : { text, ...dutchParty(text) }
}

/** A line of the maximum length continues on the next one without a blank. */
const unwrapped = (lines: readonly string[]): string =>
  lines.reduce((text, line, index) => text + ((lines[index - 1] ?? '').length >= 63 ? '' : ' ') + line, '')

// German and Polish banks: ?20 to ?29 and ?60 to ?63 are the text, ?31 or ?38 the account, ?32, ?33 the name

const SEPA = /(EREF|KREF|MREF|CRED|DEBT|SVWZ|ABWA|ABWE|OAMT|COAM|RCMT|PURP|IBAN|BIC|MTLG)\+/

/** A full line has 27 characters, or one less. A day below a shorter one is no part of its number. */
const LEAST_FULL = 26

/** SEPA has no longer ids. */
const LONGEST_ID = 35

function withFields(code: string, mark: string, joined: string): Said {
  const fields = new Map(
    joined
      .split(new RegExp(`\\${mark}(?=\\d\\d)`))
      .slice(1)
      .map((part) => [part.slice(0, 2), part.slice(2)]),
  )
  const field = (name: string) => fields.get(name) ?? ''
  const numbers = [...'0123456789']
  // A shorter line ends with it, so that `A-2026-1` and the day `12.03.` below it are no A-2026-112.
  const text = [...numbers.map((n) => `2${n}`), '60', '61', '62', '63']
    .map(field)
    .map((line) => (line !== '' && line.length < LEAST_FULL ? `${line} ` : line))
    .join('')
  const [before = '', ...rest] = text.replace('MTLG:', 'MTLG+').split(SEPA)
  const sepa = new Map(
    rest.flatMap((name, index) => (index % 2 === 0 ? [[name, rest[index + 1] ?? '']] : [])),
  )
  return {
    payer: sepa.get('ABWA') ?? field('32') + field('33'),
    payerAccount: field('31') || field('38'),
    text: sepa.size > 0 ? oneLine(before, sepa.get('SVWZ'), sepa.get('MTLG')) : text,
    ids: [sepa.get('EREF'), sepa.get('KREF')].map((id) => id?.slice(0, LONGEST_ID)),
    ...(sepa.has('OAMT') && { original: /\d{1,15},\d{0,6}/.exec(sepa.get('OAMT') ?? '')?.[0] ?? '' }),
    isReturn: RETURN_CODES.test(code),
  }
}

const WORDS =
  'TRTP|EREF|MARF|PREF|CSID|IBAN|BIC|NAME|ADDR|REMI|BENM|ORDP|CNTP|ISDT|RTRN|ULTD|ULTB|UDTR|UCRD|PURP|SVCL|TRCD|OAMT|OCMT|CHGS|IREF|ACCW|BUSP'

const WORD = new RegExp(`/(${WORDS})/(.*?)(?=/(?:${WORDS})/|$)`, 'g')

function withWords(joined: string): Said {
  const words = new Map<string, string>()
  for (const [, name = '', text = ''] of joined.matchAll(WORD)) if (!words.has(name)) words.set(name, text)
  const [account = '', , party = ''] = (words.get('CNTP') ?? '').split('/')
  const remitted = words.get('REMI') ?? ''
  const [, issuer, reference] = /^STRD\/([^/]*)\/([^/]*)/.exec(remitted) ?? []
  return {
    payer: words.get('NAME') ?? party,
    payerAccount: words.get('IBAN') ?? account,
    text: oneLine(remitted.replace(/^(USTD|STRD)\/[^/]*\//, ''), words.get('RTRN')),
    ...(issuer !== undefined && reference !== undefined && { reference }),
    ids: [words.get('EREF')],
    isReturn: words.has('RTRN'),
  }
}

/** Knab: `REK: NL65INGB0123456789/NAAM: PICQER`. */
function dutchParty(text: string): Partial<Said> {
  const [, payerAccount, payer] = /REK: ?(\w+)\/NAAM: ?(.*)$/.exec(text) ?? []
  return payerAccount === undefined || payer === undefined ? {} : { payerAccount, payer }
}

// mBank: `911 TRANSAKCJA; Z RACH.: account; OD: name and address; TYT.: text; TNR: id`

function withTitles(text: string): Said {
  const titled = (name: RegExp) => name.exec(text)?.[1]?.trim() ?? ''
  return {
    payerAccount: titled(/\bZ RACH\.: ?([\w ]+)/),
    payer: titled(/\bOD: ?([^;]*?)(?: {2}|;|$)/),
    text: titled(/\bTYT\.: ?(.*?) *(?:; *TNR:|$)/),
    ids: [titled(/\bTNR: ?([\d.]+)/)],
  }
}
