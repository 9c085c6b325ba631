import type { SheetAnswer } from '#lib/api/console/answers/tariffs.ts'
import { packedFile, upload } from '../api/console-api.ts'
import { useUpload } from '../api/use-upload.ts'
import { formatCount } from '../base/format.ts'
import { FileQuestions } from '../fields/file-questions.tsx'
import { RefusedLines } from '../fields/refused-lines.tsx'
import { RefusalNotice } from '../states/refusal-notice.tsx'
import { Table } from '../tables/table.tsx'
import { Button } from '../ui/button.tsx'
import { FileField } from '../ui/field.tsx'
import { PlanPreview, RatesPanel, type RatesPanelProps } from './rate-plan.tsx'

/** Imports a carrier's rate sheet: its questions, a preview of its changes, then a version. */
export function SheetPanel({ tariff, onClose, onDone }: RatesPanelProps) {
  const { file, found, ...sheet } = useUpload<SheetAnswer>()
  const command = `npx tollgate rates import FILE --tariff ${tariff.id}`
  const send = (chosen: File, query: Readonly<Record<string, string>>) =>
    sheet.ask(async () => upload(`/tariffs/${tariff.id}/sheet`, await packedFile(chosen, command), query))
  const choose = (chosen: File | undefined, query = {}) => {
    sheet.choose(chosen)
    return chosen && send(chosen, query)
  }
  const askAgain = () => choose(file, { profile: '{}' })
  const title = `Import a rate sheet into ${tariff.name}`
  return (
    <RatesPanel {...{ title, found, onClose, onDone }}>
      <FileField
        label="Rate sheet"
        accept=".csv,.txt,.xlsx"
        hint="CSV of any form, or .xlsx: at most 4 MB packed, and 100,000 rates."
        onChoose={choose}
      />
      {sheet.problem && <RefusalNotice problem={sheet.problem} />}
      {sheet.problem && file && !found && <Button onClick={askAgain}>Ask the questions again</Button>}
      {!found && sheet.isUnderWay && <p class="muted">The sheet is read …</p>}
      {found && found.questions.length > 0 && (
        <FileQuestions
          key={JSON.stringify(found.questions)}
          {...{ questions: found.questions, isBusy: sheet.isUnderWay, words: CHOICES }}
          columns={{ prefix: 'Column of the dial codes', tariff_rate: 'Column of the rates' }}
          answers={JSON.parse(found.profile)}
          onAnswer={(given) => file && send(file, { profile: JSON.stringify(given) })}
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
          isBusy={sheet.isUnderWay}
          onWrite={(agreed) => send(file, { ...agreed, profile: found.profile, step: 'import' })}
        >
          <SheetFacts found={found} onReset={askAgain} />
        </PlanPreview>
      )}
    </RatesPanel>
  )
}

const SheetFacts = ({ found, onReset }: { readonly found: SheetAnswer; readonly onReset: () => void }) => (
  <>
    <p>
      {found.isKept && 'It is read as the last sheet of this tariff was. '}
      {modeInWords(found.profile)}.
    </p>
    {found.byOrigin.length > 0 && <RatesByOrigin rates={found.byOrigin} />}
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
    <RefusedLines rows={found.refusedRows} />
  </>
)

const RatesByOrigin = ({ rates }: { readonly rates: SheetAnswer['byOrigin'] }) => (
  <>
    <p>{`The rates of ${rates[0]?.prefix} ${rates[0]?.destination} by the origin of the caller:`}</p>
    <Table
      label="Rates by origin"
      columns={[
        { title: 'Callers', text: ({ origin }) => origin ?? 'all others' },
        {
          title: 'A minute',
          number: ({ adds, isBlocked, perMinute }) =>
            isBlocked ? 'blocked' : `${adds ? '+ ' : ''}${perMinute}`,
        },
        { title: 'Connection', number: ({ fee }) => fee },
      ]}
      rows={rates}
    />
  </>
)

/** Labels of answers that are not plain words. */
const CHOICES: Readonly<Record<string, string>> = {
  replace: 'Replace: rates that it does not mention are removed',
  merge: 'Merge: keep rates that it does not mention',
}

/** The effect of a profile in JSON on the rates that a sheet does not mention. */
const modeInWords = (profile: string): string => CHOICES[JSON.parse(profile).mode] ?? ''
