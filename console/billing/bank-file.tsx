import { useState } from 'preact/hooks'
import type { BankFileAnswer } from '#lib/api/console/answers/billing.ts'
import { countOf } from '#lib/base/text.ts'
import { packedFile, upload } from '../api/console-api.ts'
import { useUpload } from '../api/use-upload.ts'
import { formatAmount, formatCount } from '../base/format.ts'
import { FileQuestions } from '../fields/file-questions.tsx'
import { RefusedLines } from '../fields/refused-lines.tsx'
import { RefusalNotice } from '../states/refusal-notice.tsx'
import { Table } from '../tables/table.tsx'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { FileField, LabelledField } from '../ui/field.tsx'
import { useToast } from '../ui/toast.tsx'

/** The person's answers by the place of a row: the number of an invoice, `@` and an account, or `skip`. */
type Answers = Readonly<Record<string, string>>

const COMMAND = 'npx tollgate payment import FILE'

const linesOf = (answers: Answers): string =>
  Object.entries(answers)
    .filter(([, answer]) => answer.trim() !== '')
    .map(([place, answer]) => `${place}=${answer.trim()}`)
    .join('\n')

/** Books the payments of a bank's statement: what each row is, what the person says of the others. */
export function BankFileView() {
  const { file, found, ...action } = useUpload<BankFileAnswer>()
  const [answers, setAnswers] = useState<Answers>({})
  const showToast = useToast()
  const send = async (chosen: File, query: Readonly<Record<string, string>>) =>
    upload('/payments/bank-file', await packedFile(chosen, COMMAND), {
      ...(found && { profile: found.profile }),
      answers: linesOf(answers),
      ...query,
    })
  const preview = (chosen: File, query = {}) => action.ask(() => send(chosen, query))
  const choose = (chosen: File | undefined) => {
    action.choose(chosen)
    setAnswers({})
    return chosen && preview(chosen, { profile: '{}', answers: '' })
  }
  const book = (chosen: File, first: BankFileAnswer) =>
    action.ask(async () => {
      let booked = 0
      let answer = first
      do {
        answer = await send(chosen, { step: 'book', agreed: answer.agreed })
        booked += answer.booked
        if (answer.refused.length > 0) break
      } while (answer.left > 0)
      showToast(`Booked ${countOf(booked, 'row')}`)
      return { ...(await send(chosen, {})), refused: answer.refused }
    })
  return (
    <div class="stack">
      <Card title="Statement of your bank">
        <FileField
          label="File"
          accept=".xml,.sta,.mt940,.940,.txt,.csv,.zip,.gz"
          hint="CAMT.053, MT940 or CSV. A row is booked once, however often its file comes."
          onChoose={choose}
        />
        {action.problem && <RefusalNotice problem={action.problem} />}
        {!found && action.isUnderWay && <p class="muted">The file is read …</p>}
        {file && found && found.questions.length > 0 && (
          <FileQuestions
            key={JSON.stringify(found.questions)}
            {...{ questions: found.questions, isBusy: action.isUnderWay }}
            columns={{ day: 'Column of the day', amount: 'Column of the amount' }}
            answers={JSON.parse(found.profile)}
            onAnswer={(given) => preview(file, { profile: JSON.stringify(given) })}
          />
        )}
        {file && found && found.questions.length === 0 && (
          <>
            <p>{factsIn(found)}</p>
            <RefusedLines
              noun="Row"
              rows={found.refused.map(({ place, reason }) => ({ line: place, reason }))}
            />
            <div class="cluster">
              {found.counts.pay > 0 && (
                <Button kind="primary" isBusy={action.isUnderWay} onClick={() => book(file, found)}>
                  {`Book ${countOf(found.counts.pay, 'row')}`}
                </Button>
              )}
              {found.counts.ask > 0 && (
                <Button isBusy={action.isUnderWay} onClick={() => preview(file)}>
                  Apply the answers
                </Button>
              )}
            </div>
          </>
        )}
      </Card>
      {found && found.rows.length > 0 && (
        <Card title="Rows">
          <Rows rows={found.rows} answers={answers} onAnswer={setAnswers} />
        </Card>
      )}
    </div>
  )
}

const factsIn = ({ format, counts }: BankFileAnswer): string =>
  [
    `The file is ${format}.`,
    `Rows to book: ${formatCount(counts.pay)}; to answer: ${formatCount(counts.ask)};`,
    `booked already: ${formatCount(counts.booked)}; no payments of customers: ${formatCount(counts.others)}.`,
  ].join(' ')

interface RowsProps {
  readonly rows: readonly BankFileAnswer['rows'][number][]
  readonly answers: Answers
  readonly onAnswer: (answers: Answers) => void
}

const Rows = ({ rows, answers, onAnswer }: RowsProps) => (
  <Table
    label="Rows of the file"
    columns={[
      { title: 'Day', text: ({ day }) => day },
      {
        title: 'Amount',
        number: ({ amount, isCredit, currency }) =>
          `${formatAmount(isCredit ? amount : `-${amount}`)} ${currency}`,
      },
      { title: 'Payer', text: ({ payer }) => payer },
      { title: 'Text', text: ({ text }) => text },
      { title: 'Meaning', text: ({ says }) => says },
      {
        title: 'Your answer',
        text: ({ place }) => answers[place] ?? '',
        show: (row) =>
          row.isAsked || answers[row.place] !== undefined ? (
            <LabelledField
              label={`Row ${row.place}: invoice, or @ and an account`}
              value={answers[row.place] ?? ''}
              suggestions={[
                ...row.invoices.map((number) => ({ value: number, label: number })),
                ...row.customers.map(({ id, name }) => ({ value: `@${id}`, label: name })),
                { value: 'skip', label: 'It is not a payment of a customer' },
              ]}
              onInput={(answer) => onAnswer({ ...answers, [row.place]: answer })}
            />
          ) : (
            ''
          ),
      },
    ]}
    rows={rows}
  />
)
