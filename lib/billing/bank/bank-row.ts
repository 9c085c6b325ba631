import type { Day } from '#lib/base/calendar.ts'
import { hexDigest } from '#lib/base/digest.ts'
import type { Money } from '#lib/base/money.ts'
import { fileRefused } from '#lib/base/row-refused.ts'

/** A movement of a bank account, as a file of any format says it. */
export interface BankEntry {
  /** The account of the operator, an IBAN if there is one. */
  readonly account: string
  /** The day on which the bank booked it. */
  readonly day: Day
  /** From 0, in this currency; a blank one is that of the installation. */
  readonly amount: Money
  readonly currency: string
  /** Of several currencies, such as `$`: beside the amount or in its heading. */
  readonly sign?: string | undefined
  readonly isCredit: boolean
  /** It undoes an earlier movement, such as a direct debit that came back. */
  readonly isReturn: boolean
  readonly payer: string
  readonly payerAccount: string
  /** The remittance text, and why a payment came back. */
  readonly text: string
  /** Structured references of the creditor, without blanks. */
  readonly references: readonly string[]
  /** Ids of the payer and of the bank, such as the end-to-end id. */
  readonly ids: readonly string[]
  /** The amount before charges of a payment that came back, if the bank says it. */
  readonly original?: Money
  /** A batch that is booked as one sum, whose single payments the file does not say. */
  readonly batchOf?: number
  /** Rises with each statement of the file that begins. Later pages of a statement belong to it. */
  readonly statement: number
}

/** An entry with its place in the file, from 1, and its id, which is the same in every file. */
export interface BankRow extends BankEntry {
  readonly place: number
  readonly id: string
}

/** How banks say that a payment came back, in a text or in a column of kinds. */
export const RETURNED =
  /r(ü|ue)ck(last|buch|(ü|ue)berw)|retour|returned|storn|terugboek|chargeback|reversal|unpaid|impay|insolut/i

const MOST_ROWS = 100_000

const ID_LENGTH = 32

/**
 * Numbers the entries of a file. Two equal ones of a statement are two movements. The same statement again,
 * also in another file, has the same ids. Throws refused_file for too many rows.
 */
export async function* numbered(
  entries: AsyncIterable<BankEntry> | Iterable<BankEntry>,
): AsyncGenerator<BankRow> {
  let place = 0
  let statement = -1
  let seen = new Map<string, number>()
  for await (const entry of entries) {
    if (++place > MOST_ROWS) throw fileRefused(`The file has more than ${MOST_ROWS} rows`)
    if (entry.statement !== statement) seen = new Map()
    statement = entry.statement
    const content = contentOf(entry)
    const count = seen.get(content) ?? 0
    seen.set(content, count + 1)
    yield { ...entry, place, id: hexDigest(`${content} ${count}`).slice(0, ID_LENGTH) }
  }
}

/** The fields that are equal in every file, also if another export wraps its text at other places. */
function contentOf({ account, day, amount, currency, isCredit, isReturn, ...said }: BankEntry): string {
  const texts = [said.payer, said.payerAccount, said.text, ...said.references, ...said.ids]
  const plain = texts.map((text) => text.replace(/\s+/g, '')).join('|')
  return [account, day, amount, currency, isCredit, isReturn, said.batchOf ?? 1, plain].join('|')
}

/** Blanks in a row count as one, and none stands around the text. */
export const oneLine = (...texts: readonly (string | undefined)[]): string =>
  texts
    .filter((text) => text !== undefined && text.trim() !== '')
    .join(' ')
    .replace(/\s+/g, ' ')
    .trim()
