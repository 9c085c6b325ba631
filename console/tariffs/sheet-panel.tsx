import { useState } from 'preact/hooks'
import type { SheetAnswer } from '#lib/api/console/answers/tariffs.ts'
import { packedFile, upload } from '../api/console-api.ts'
import { useAction } from '../api/use-action.ts'
import { formatCount } from '../format.ts'
import { RefusalNotice } from '../states/refusal-notice.tsx'
import { Table } from '../tables/table.tsx'
import { Button } from '../ui/button.tsx'
import { FileField } from '../ui/field.tsx'
import { PlanPreview, RatesPanel, type RatesPanelProps } from './rate-plan.tsx'
import { type SheetAnswers, SheetQuestions } from './sheet-questions.tsx'

/** Imports a carrier's rate sheet: its questions, a preview of what it changes, then a version. */
export function SheetPanel({ tariff, onClose, onDone }: RatesPanelProps) {
  const [file, setFile] = useState<File>()
  const [answers, setAnswers] = useState<SheetAnswers>({})
  const [found, setFound] = useState<SheetAnswer>()
  const action = useAction()
  const send = (chosen: File, profile: SheetAnswers, more = {}) =>
    action.run(async () => {
      const query = { profile: JSON.stringify(profile), ...more }
      const command = `npx tollgate rates import FILE --tariff ${tariff.id}`
      setFound(await upload(`/tariffs/${tariff.id}/sheet`, await packedFile(chosen, command), query))
    })
  const choose = (chosen: File | undefined) => {
    setFile(chosen)
    setFound(undefined)
    setAnswers({})
    return chosen && send(chosen, {})
  }
  const answer = (given: SheetAnswers) => {
    setAnswers(given)
    return file && send(file, given)
  }
  const title = `Import a rate sheet into ${tariff.name}`
  return (
    <RatesPanel {...{ title, found, onClose, onDone }}>
      <FileField
        label="Rate sheet"
        accept=".csv,.txt,.xlsx"
        hint="CSV of any form, or .xlsx: at most 4 MB packed, and 100,000 rates."
        onChoose={choose}
      />
      {action.problem && <RefusalNotice problem={action.problem} />}
      {!found && action.isUnderWay && <p class="muted">The sheet is read …</p>}
      {found && found.questions.length > 0 && (
        <SheetQuestions
          key={JSON.stringify(found.questions)}
          {...{ answers, questions: found.questions, isBusy: action.isUnderWay }}
          onAnswer={answer}
        />
      )}
      {file && found?.plan && (
        <PlanPreview
          plan={found.plan}
          {...(found.refused > 0 && {
            agreements: {
              acceptRejected: `Import without the refused rows (${formatCount(found.refused)})`,
            },
          })}
          isBusy={action.isUnderWay}
          onWrite={(agreed) => send(file, answers, { ...agreed, step: 'import' })}
        >
          <SheetFacts found={found} onReset={() => choose(file)} />
        </PlanPreview>
      )}
    </RatesPanel>
  )
}

const SheetFacts = ({ found, onReset }: { readonly found: SheetAnswer; readonly onReset: () => void }) => (
  <>
    {found.ending > 0 && <p>{`Prefixes that end later: ${formatCount(found.ending)}.`}</p>}
    <details>
      <summary>How the sheet is read</summary>
      <ul>
        {found.reading.map((line, index) => (
          <li key={line}>{index === 0 ? `The sheet ${line}` : line}</li>
        ))}
      </ul>
      <Button small onClick={onReset}>
        Answer the questions again
      </Button>
    </details>
    {found.refused > 0 && <RefusedRows rows={found.refusedRows} />}
  </>
)

const RefusedRows = ({ rows }: { readonly rows: SheetAnswer['refusedRows'] }) => (
  <Table
    label="Refused rows"
    columns={[
      { key: 'line', title: 'Refused line', isNumber: false },
      { key: 'reason', title: 'Reason' },
    ]}
    rows={rows.map(({ line, reason }) => ({ line: `Line ${line}`, reason }))}
  />
)
