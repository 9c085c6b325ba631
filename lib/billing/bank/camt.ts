import { type SaxesAttributePlain, SaxesParser, type SaxesTagPlain } from 'saxes'
import type { Day } from '#lib/base/calendar.ts'
import { isDay } from '#lib/base/day.ts'
import { add, isMoneyFromZero, isZero, type Money, moneyOf, subtract, ZERO } from '#lib/base/money.ts'
import { fileRefused } from '#lib/base/row-refused.ts'
import { encodingOf } from '#lib/csv/encoding.ts'
import { type BankEntry, oneLine } from './bank-row.ts'

interface Element {
  readonly name: string
  readonly currency: string
  readonly children: Element[]
  text: string
}

/** CAMT nests fewer elements. */
const MAX_DEPTH = 40

const CHUNK_BYTES = 65_536

/** The children of a statement, each whole once it ends. Memory holds one of them. */
async function* childrenOfStatements(bytes: Uint8Array): AsyncGenerator<Element> {
  const ended: Element[] = []
  const path: Element[] = []
  const parser = new SaxesParser()
  const refuse = (what: string) => fileRefused(`The file is not CAMT.053: line ${parser.line}: ${what}`)
  let isStatement = false

  parser.on('error', (error) => {
    throw fileRefused(`The file is not XML: ${error.message}`)
  })
  parser.on('doctype', () => {
    throw refuse('it has a document type')
  })
  parser.on('opentag', (tag) => {
    if (path.length >= MAX_DEPTH) throw refuse(`it is nested deeper than ${MAX_DEPTH} levels`)
    const element = elementOf(tag)
    if (path.length === 1 && element.name !== 'BkToCstmrStmt') throw refuse(`it has ${element.name}`)
    isStatement ||= path.length === 1
    path.push(element)
  })
  const addText = (content: string) => {
    const innermost = path.at(-1)
    if (innermost) innermost.text += content
  }
  parser.on('text', addText)
  parser.on('cdata', addText)
  parser.on('closetag', () => {
    const element = path.pop()
    const parent = path.at(-1)
    if (!element || !parent) return
    if (parent.name === 'Stmt' && path.length === 3) ended.push(element)
    else if (path.length > 3) parent.children.push(element)
  })
  const decoder = new TextDecoder(encodingIn(bytes))
  for (let from = 0; from < bytes.length; from += CHUNK_BYTES) {
    parser.write(decoder.decode(bytes.subarray(from, from + CHUNK_BYTES), { stream: true }))
    yield* ended.splice(0)
  }
  parser.close()
  yield* ended
  if (!isStatement) throw refuse('it has no statement')
}

function elementOf({ name, attributes }: SaxesTagPlain): Element {
  const { Ccy } = attributes as Record<string, SaxesAttributePlain['value'] | undefined>
  return { name: name.replace(/^.*:/, ''), currency: Ccy ?? '', children: [], text: '' }
}

/** The encoding of the declaration; UTF-8 without one. */
function encodingIn(bytes: Uint8Array): string {
  const start = Buffer.from(bytes.subarray(0, 200)).toString('latin1')
  const [, declared] = /^\s*(?:\xef\xbb\xbf)?<\?xml[^>]*encoding=["']([\w.-]+)["']/.exec(start) ?? []
  const encoding = encodingOf(bytes)
  if (encoding.startsWith('utf-16')) return encoding
  try {
    return new TextDecoder(declared ?? 'utf-8').encoding
  } catch {
    throw fileRefused(`The encoding ${JSON.stringify(declared)} is unknown`)
  }
}

const all = (from: Element | undefined, ...path: readonly string[]): Element[] =>
  path.reduce<Element[]>(
    (found, name) => found.flatMap(({ children }) => children.filter((one) => one.name === name)),
    from ? [from] : [],
  )

const textAt = (from: Element | undefined, ...path: readonly string[]): string =>
  all(from, ...path)[0]?.text.trim() ?? ''

const firstText = (...texts: readonly string[]): string => texts.find((text) => text !== '') ?? ''

interface OfStatement {
  readonly account: string
  readonly currency: string
  readonly statement: number
  /** The day of the last balance before the entries, which is the closing one, or on which it was written. */
  readonly day?: Day | undefined
}

/**
 * Reads the booked entries of CAMT.053 of any version. A batch whose payments have amounts is an entry for
 * each of them. Throws refused_file for other XML.
 */
export async function* readCamt(bytes: Uint8Array): AsyncGenerator<BankEntry> {
  let of: OfStatement = { account: '', currency: '', statement: 0 }
  for await (const element of childrenOfStatements(bytes)) {
    if (element.name === 'Ntry') yield* entriesOf(element, of)
    else of = withFact(of, element)
  }
}

/** The statement with a fact that its entries take from the elements before them. */
function withFact(of: OfStatement, element: Element): OfStatement {
  switch (element.name) {
    case 'Id':
      return { account: '', currency: '', statement: of.statement + 1 }
    case 'StmtPgntn':
      return Number(textAt(element, 'PgNb')) > 1 ? { ...of, statement: of.statement - 1 } : of
    case 'CreDtTm':
      return { ...of, day: firstDay(element.text.trim().slice(0, 10)) }
    case 'Acct':
      return {
        ...of,
        account: firstText(textAt(element, 'Id', 'IBAN'), textAt(element, 'Id', 'Othr', 'Id')),
        currency: textAt(element, 'Ccy'),
      }
    case 'Bal':
      return { ...of, day: dayAt(element, 'Dt') ?? of.day }
    default:
      return of
  }
}

function* entriesOf(entry: Element, of: OfStatement): Generator<BankEntry> {
  const status = firstText(textAt(entry, 'Sts', 'Cd'), textAt(entry, 'Sts'))
  if (status !== 'BOOK' && status !== '') return
  const amount = amountIn(all(entry, 'Amt')[0])
  if (!amount) throw fileRefused(`An entry of account ${of.account} has no amount`)
  const day = dayAt(entry, 'BookgDt') ?? dayAt(entry, 'ValDt') ?? of.day
  if (day === undefined) throw fileRefused('An entry has no day')
  const payments = all(entry, 'NtryDtls', 'TxDtls')
  const common = { ...of, day, isCredit: textAt(entry, 'CdtDbtInd') !== 'DBIT', currency: amount.currency }
  const parts = payments.length > 1 ? partsOf(payments, amount, entry) : undefined
  if (parts) {
    for (const [payment, part] of parts) yield { ...common, amount: part, ...saidIn(entry, payment) }
    return
  }
  const count = Math.max(
    payments.length,
    ...all(entry, 'NtryDtls', 'Btch', 'NbOfTxs').map(({ text }) => Number(text.trim()) || 0),
  )
  const single = payments.length === 1 ? payments[0] : undefined
  yield {
    ...common,
    amount: amount.amount,
    ...saidIn(entry, count > 1 ? undefined : single),
    ...(count > 1 && { batchOf: count }),
  }
}

interface Amount {
  readonly amount: Money
  readonly currency: string
}

function amountIn(element: Element | undefined): Amount | undefined {
  const text = element?.text.trim() ?? ''
  const amount = isMoneyFromZero(text) ? moneyOf(text) : undefined
  return element && amount !== undefined ? { amount, currency: element.currency } : undefined
}

/** The payments of a batch with their amounts, if these make up the batch, or do so before its charges. */
function partsOf(payments: readonly Element[], whole: Amount, entry: Element) {
  const amounts = payments.map((payment) =>
    [all(payment, 'Amt')[0], all(payment, 'AmtDtls', 'TxAmt', 'Amt')[0]]
      .map(amountIn)
      .find((one) => one?.currency === whole.currency),
  )
  if (amounts.includes(undefined)) return undefined
  const parts = amounts.map((one) => one?.amount ?? ZERO)
  const sum = add(ZERO, ...parts)
  const charges = [...all(entry, 'Chrgs', 'Amt'), ...all(entry, 'Chrgs', 'Rcrd', 'Amt')].map(
    (one) => amountIn(one)?.amount ?? ZERO,
  )
  const rest = subtract(sum, whole.amount)
  if (!isZero(rest) && !isZero(subtract(rest, add(ZERO, ...charges)))) return undefined
  return payments.map((payment, index) => [payment, parts[index] ?? ZERO] as const)
}

const firstDay = (...texts: readonly string[]): Day | undefined => texts.find((text) => isDay(text))

const dayAt = (element: Element, name: string): Day | undefined =>
  firstDay(textAt(element, name, 'Dt'), textAt(element, name, 'DtTm').slice(0, 10))

/** The codes of entries that undo a payment or a direct debit. */
const RETURNS = new Set(['RRTN', 'UPDD', 'PRDD', 'ARET', 'AREV'])

const NO_REFERENCE = /^(NOTPROVIDED|NOREF|NONREF|)$/i

function saidIn(entry: Element, payment: Element | undefined) {
  const family = all(payment, 'BkTxCd')[0] ?? all(entry, 'BkTxCd')[0]
  const isReturn =
    /^(true|1)$/.test(textAt(entry, 'RvslInd')) ||
    all(payment, 'RtrInf').length > 0 ||
    RETURNS.has(textAt(family, 'Domn', 'Fmly', 'SubFmlyCd'))
  const isCredit = textAt(entry, 'CdtDbtInd') !== 'DBIT'
  const structured = all(payment, 'RmtInf', 'Strd')
  const original = amountIn(all(payment, 'AmtDtls', 'InstdAmt', 'Amt')[0])
  const refs = ['EndToEndId', 'TxId', 'InstrId', 'AcctSvcrRef'].map((name) => textAt(payment, 'Refs', name))
  return {
    isReturn,
    ...partyIn(payment, isCredit ? ['Dbtr', 'Cdtr'] : ['Cdtr', 'Dbtr'], isReturn),
    text: oneLine(
      ...all(payment, 'RmtInf', 'Ustrd').map(({ text }) => text),
      ...structured.flatMap((one) => [
        textAt(one, 'RfrdDocInf', 'Nb'),
        ...all(one, 'AddtlRmtInf').map(({ text }) => text),
      ]),
      ...[['RtrInf', 'Rsn', 'Cd'], ['RtrInf', 'AddtlInf'], ['AddtlTxInf']].map((path) =>
        textAt(payment, ...path),
      ),
      payment ? undefined : textAt(entry, 'AddtlNtryInf'),
    ),
    references: structured.flatMap((one) => {
      const reference = textAt(one, 'CdtrRefInf', 'Ref').replace(/\s/g, '')
      return reference === '' ? [] : [reference]
    }),
    ids: [...refs, textAt(entry, 'AcctSvcrRef')].filter((id) => !NO_REFERENCE.test(id)),
    ...(isReturn && original && { original: original.amount }),
  }
}

/** The other party. In a return it may be either, and the one who is not the operator has a name. */
function partyIn(
  payment: Element | undefined,
  [party = '', other = '']: readonly string[],
  isReturn: boolean,
) {
  const parties = all(payment, 'RltdPties')[0]
  const nameOf = (name: string) => firstText(textAt(parties, name, 'Nm'), textAt(parties, name, 'Pty', 'Nm'))
  const accountOf = (name: string) =>
    firstText(
      textAt(parties, `${name}Acct`, 'Id', 'IBAN'),
      textAt(parties, `${name}Acct`, 'Id', 'Othr', 'Id'),
    )
  const names = isReturn ? [other, party] : [party]
  return {
    payer: oneLine(firstText(...names.flatMap((name) => [nameOf(`Ultmt${name}`), nameOf(name)]))),
    payerAccount: firstText(...names.map(accountOf)),
  }
}
