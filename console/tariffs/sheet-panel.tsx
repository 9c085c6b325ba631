import { useState } from 'preact/hooks'
import type { SheetAnswer, TariffAnswer } from '#lib/api/console/answers/tariffs.ts'
import { packedFile, upload } from '../api/console-api.ts'
import { useAction } from '../api/use-action.ts'
import { formatCount } from '../format.ts'
import { RefusalNotice } from '../states/refusal-notice.tsx'
import { Table } from '../tables/table.tsx'
import { Button } from '../ui/button.tsx'
import { FileField, SwitchField } from '../ui/field.tsx'
import { SidePanel } from '../ui/side-panel.tsx'
import { PlanNotices, PlanWritten } from './rate-plan.tsx'
import { type Answers, SheetQuestions } from './sheet-questions.tsx'
import { RateChanges } from './version-changes.tsx'

interface SheetPanelProps {
  readonly tariff: TariffAnswer['tariff']
  readonly onClose: () => void
  readonly onDone: () => void
}

/** Imports a carrier's rate sheet: its questions, a preview of what it changes, then a version. */
export function SheetPanel({ tariff, onClose, onDone }: SheetPanelProps) {
  const [file, setFile] = useState<File>()
  const [answers, setAnswers] = useState<Answers>({})
  const [found, setFound] = useState<SheetAnswer>()
  const action = useAction()
  const send = (chosen: File, profile: Answers, more = {}) =>
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
  const answer = (given: Answers) => {
    setAnswers(given)
    return file && send(file, given)
  }
  const isDone = found !== undefined && found.isWritten !== 'no'
  return (
    <SidePanel title={`Import a rate sheet into ${tariff.name}`} onClose={isDone ? onDone : onClose}>
      {isDone ? (
        <PlanWritten isWritten={found.isWritten} plan={found.plan} onDone={onDone} />
      ) : (
        <>
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
            <Preview
              {...{ found, plan: found.plan, isBusy: action.isUnderWay }}
              onReset={() => choose(file)}
              onImport={(permitted) => send(file, answers, permitted)}
            />
          )}
        </>
      )}
    </SidePanel>
  )
}

interface PreviewProps {
  readonly found: SheetAnswer
  readonly plan: NonNullable<SheetAnswer['plan']>
  readonly isBusy: boolean
  readonly onReset: () => void
  readonly onImport: (permitted: Readonly<Record<string, string>>) => void
}

/** What the sheet changes. Refused rows and many removals need a switch before the import. */
function Preview({ found, plan, isBusy, onReset, onImport }: PreviewProps) {
  const [agreed, setAgreed] = useState<Readonly<Record<string, string>>>({})
  const needed = agreementsTo(found, plan)
  const ending = found.ending > 0 ? `Prefixes that end later: ${formatCount(found.ending)}. ` : ''
  const compared = plan.compared === null ? {} : { compared: String(plan.compared) }
  return (
    <>
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
      <PlanNotices plan={plan} />
      <p>{`${plan.summary}. ${ending}Customers of the tariff: ${formatCount(plan.customers)}.`}</p>
      {found.refused > 0 && <RefusedRows rows={found.refusedRows} />}
      {needed.map(({ name, label }) => (
        <SwitchField
          key={name}
          label={label}
          value={agreed[name] === 'yes' ? '1' : '0'}
          onInput={(value) => setAgreed({ ...agreed, [name]: value === '1' ? 'yes' : '' })}
        />
      ))}
      <Button
        kind="primary"
        isBusy={isBusy}
        isDisabled={needed.some(({ name }) => agreed[name] !== 'yes')}
        onClick={() => onImport({ step: 'import', ...compared, ...agreed })}
      >
        Import as a new version
      </Button>
      <RateChanges changes={plan} same="The tariff has these rates already" summary="What changes:" />
    </>
  )
}

/** What somebody has to agree to before the import, by the parameters of the API. */
const agreementsTo = ({ refused }: SheetAnswer, { removals }: PreviewProps['plan']) => [
  ...(refused > 0
    ? [{ name: 'acceptRejected', label: `Import without the refused rows (${formatCount(refused)})` }]
    : []),
  ...(removals === null ? [] : [{ name: 'allowRemovals', label: `Import although ${removals}` }]),
]

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
