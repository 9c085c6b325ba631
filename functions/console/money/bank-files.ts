import { carryOutHere, contextHere } from '#lib/api/console/act-operation.ts'
import type { BankFileAnswer } from '#lib/api/console/answers/billing.ts'
import { askedQuestion } from '#lib/api/console/file-content.ts'
import { type ConsoleRequest, defineResource, operation } from '#lib/api/console/resource.ts'
import { consoleLambda } from '#lib/api/console/stack.ts'
import { oneWord, plainText } from '#lib/api/console/values.ts'
import { displayName, MANAGERS } from '#lib/base/account-types.ts'
import { Refusal } from '#lib/base/refusal.ts'
import { refusalForPeople } from '#lib/base/refusals/refusal-sentences.ts'
import { cutText } from '#lib/base/text.ts'
import { bankProfileOf } from '#lib/billing/bank/bank-csv.ts'
import { bookBankRows } from '#lib/billing/bank/book-rows.ts'
import { booksSomething, type MatchedRow } from '#lib/billing/bank/match-rows.ts'
import { type BankPreview, describeProposal, previewBankFile } from '#lib/billing/bank/preview.ts'
import { type BankFile, readBankFile } from '#lib/billing/bank/read-bank-file.ts'

/** An event of Lambda has room for 4.5 MB. The page packs a file. */
const MOST_BYTES = 4_000_000

const sent = {
  /** The answers to the questions about a CSV, as a profile in JSON. */
  profile: plainText,
  /** The answers of a person, each in a line: `7=A-2026-3`, `8=@12` for an account, or `9=skip`. */
  answers: plainText,
  step: oneWord('preview', 'book'),
  agreed: plainText,
}

export const resource = defineResource({
  name: 'bank-files',
  access: 'write',
  operations: [
    operation('POST', '/payments/bank-file', {
      summary:
        'Reads a statement of a bank, CAMT.053, MT940 or CSV, plain or packed by gzip, and answers with what its rows are. The step book, with what was agreed, also books them, 100 in a request: a row is booked once.',
      callers: MANAGERS,
      params: sent,
      mostBytes: MOST_BYTES,
      run: previewOrBook,
    }),
  ],
})

export const handler = consoleLambda(resource)

async function previewOrBook(request: ConsoleRequest<typeof sent>): Promise<BankFileAnswer> {
  const { params, file: bytes, raw } = request
  const file = await readBankFile(bytes, bankProfileOf(params.profile ?? '{}', 'The profile'))
  if (file.questions.length > 0) return { ...nothingIn(file), questions: file.questions.map(askedQuestion) }
  const answers = (params.answers ?? '').split('\n').filter((line) => line.trim() !== '')
  const preview = await previewBankFile(contextHere(request), limited(file), answers)
  const shown = { ...nothingIn(file), ...shownRows(preview), agreed: preview.agreed }
  if (params.step !== 'book') return shown
  const { answer } = await carryOutHere(request, bookBankRows(preview.rows), { agreed: raw['agreed'] ?? '-' })
  const refused = answer.refused.map(({ place, refusal }) => ({
    place,
    reason: refusalForPeople(refusal).message,
  }))
  return { ...shown, booked: answer.booked, left: answer.left, agreed: answer.agreed, refused }
}

const nothingIn = ({ format, profile }: BankFile): BankFileAnswer => ({
  ...{ format, profile: JSON.stringify(profile), questions: [], rows: [], refused: [] },
  ...{ counts: { pay: 0, ask: 0, booked: 0, others: 0 }, agreed: '', booked: 0, left: 0 },
})

/** A request lasts 29 seconds at most. The command has no such limit. */
const MOST_ROWS = 10_000

const limited = (file: BankFile): BankFile => ({
  ...file,
  rows: async function* () {
    for await (const row of file.rows()) {
      if (row.place > MOST_ROWS)
        throw new Refusal('too_many_rows', {
          ...{ most: `${MOST_ROWS} rows`, task: 'import_bank_file', of: 'FILE' },
        })
      yield row
    }
  },
})

const MOST_SHOWN = 300

function shownRows({ rows, customers }: BankPreview) {
  const of = (...does: readonly MatchedRow['proposal']['does'][]) =>
    rows.filter(({ proposal }) => does.includes(proposal.does))
  const [pay, ask, booked] = [rows.filter(booksSomething), of('ask'), of('booked')]
  const others = rows.length - pay.length - ask.length - booked.length
  const nameOf = (id: number) => {
    const account = customers.get(id)
    return account ? displayName(account) : String(id)
  }
  return {
    counts: { pay: pay.length, ask: ask.length, booked: booked.length, others },
    rows: [...ask.slice(0, MOST_SHOWN), ...pay.slice(0, MOST_SHOWN)].map((one) => {
      const { row, proposal } = one
      const isAsked = proposal.does === 'ask'
      return {
        ...{ place: row.place, day: row.day, amount: row.amount, currency: row.currency },
        ...{ isCredit: row.isCredit, payer: cutText(row.payer, 100), text: cutText(row.text, 200) },
        ...{ isAsked, says: describeProposal(one, customers) },
        customers: isAsked ? proposal.customers.map((id) => ({ id, name: nameOf(id) })) : [],
        invoices: isAsked ? [...proposal.invoices] : [],
      }
    }),
  }
}
