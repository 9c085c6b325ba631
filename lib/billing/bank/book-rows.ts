import { type Act, carryOut, defineAct } from '#lib/acts/act.ts'
import type { ActContext } from '#lib/acts/context.ts'
import { type GivenTexts, type Inputs, optionalInput, textInput } from '#lib/acts/inputs.ts'
import { MANAGERS } from '#lib/base/account-types.ts'
import { today } from '#lib/base/calendar.ts'
import { Refusal } from '#lib/base/refusal.ts'
import { cutText, withoutNonXml } from '#lib/base/text.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import { assignPayment } from '../payments/assign-payment.ts'
import { recordPayment } from '../payments/record-payment.ts'
import { takeBackPayment } from '../payments/take-back-payment.ts'
import { booksSomething, digestOfProposals, type MatchedRow } from './match-rows.ts'

declare module '#lib/base/refusal.ts' {
  interface Refusals {
    /** The rows of a file are proposed otherwise than when the person agreed. */
    readonly other_proposals: Record<never, never>
  }
}

export interface RowsBooked {
  readonly booked: number
  /** Rows that could not be booked, with the reason. */
  readonly refused: readonly { readonly place: number; readonly refusal: Refusal }[]
  /** Rows that one more request books. */
  readonly left: number
  /** The value of `agreed` for them. */
  readonly agreed: string
}

/** The act that books the rows of a bank file as its preview proposes. Each row is a payment of its own. */
export const bookBankRows = (rows: readonly MatchedRow[]): Act<Inputs, RowsBooked> =>
  defineAct<Inputs, RowsBooked>({
    summary: 'Book the rows of a bank file as its preview proposes',
    callers: MANAGERS,
    input: {
      agreed: optionalInput(
        textInput('the digest of the preview that was agreed (default: the present one)'),
      ),
    },
    run: async (context, { agreed }) => {
      if (agreed !== undefined && agreed !== digestOfProposals(rows)) throw new Refusal('other_proposals', {})
      const all = rows.filter(booksSomething)
      const first = all.slice(0, context.mostAtOnce)
      const rest = all.slice(first.length)
      const answerOf = (booked: number, refused: RowsBooked['refused']): RowsBooked => ({
        ...{ booked, refused, left: rest.length, agreed: digestOfProposals(rest) },
      })
      if (first.length === 0) return { answer: answerOf(0, []) }
      const words = (count: number) => `booked ${count} rows of a bank file`
      return {
        begins: `books ${first.length} rows of a bank file`,
        steps: async function* () {
          const refused: { place: number; refusal: Refusal }[] = []
          let booked = 0
          for (const [index, matched] of first.entries()) {
            // A payment has the id of its millisecond. Balance_From may have moved since the first row.
            const now = new Date(context.now.getTime() + index)
            const present = { ...context, now, settings: await settingsOf(context.store) }
            const refusal = await bookRow(present, matched).catch(refusalOf)
            if (!refusal) booked += 1
            else if (refusal.code !== 'row_booked') refused.push({ place: matched.row.place, refusal })
            yield words(booked)
          }
          return { answer: answerOf(booked, refused), did: words(booked) }
        },
      }
    },
  })

function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  throw error
}

const LONGEST_COMMENT = 200

async function bookRow(context: ActContext, { row, proposal }: MatchedRow): Promise<undefined> {
  const here = { ...context, namesAreTyped: false }
  if (proposal.does === 'take back') {
    const why = withoutNonXml(cutText(row.text, LONGEST_COMMENT)) || 'returned'
    const given = { payment: String(proposal.payment), why, bank_row: row.id }
    await carryOut(takeBackPayment, here, given)
  } else if (proposal.does === 'pay') {
    const [first, ...others] = proposal.invoices
    const { answer } = await carryOut(recordPayment, here, givenFor(context, row, proposal.customer, first))
    if (others.length > 0)
      await carryOut(assignPayment, here, { payment: String(answer.id), invoices: others.join('\n') })
  }
  return undefined
}

/** The claim of its row takes the place of the question about an equal payment. */
function givenFor(
  { settings, now }: ActContext,
  { id, amount, currency, day, ids, text }: MatchedRow['row'],
  customer: number,
  invoice: string | undefined,
): GivenTexts {
  const present = today(now, settings.Timezone)
  return {
    customer: String(customer),
    amount,
    // A missing currency would be that of the invoice.
    currency: currency || settings.Default_Currency,
    invoice,
    date: day > present ? present : day,
    type: 'bank',
    reference: withoutNonXml(cutText(ids[0] ?? '', LONGEST_COMMENT)),
    comment: withoutNonXml(cutText(text, LONGEST_COMMENT)),
    bank_row: id,
    again: 'yes',
  }
}
