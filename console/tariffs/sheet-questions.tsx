import { useState } from 'preact/hooks'
import type { SheetAnswer } from '#lib/api/console/answers/tariffs.ts'
import { Button } from '../ui/button.tsx'
import { LabelledField } from '../ui/field.tsx'

type SheetQuestion = SheetAnswer['questions'][number]

/** A profile of rate sheets: the answers by the subjects of their questions. */
type SheetAnswers = Readonly<Record<string, string | Readonly<Record<string, string>>>>

interface SheetQuestionsProps {
  readonly questions: readonly SheetQuestion[]
  readonly answers: SheetAnswers
  readonly isBusy: boolean
  readonly onAnswer: (answers: SheetAnswers) => unknown
}

/** One answer: its key in the profile, such as `decimal` or `columns` and `prefix`. */
interface Asked {
  readonly key: string
  readonly within?: string
  readonly label: string
  readonly choices: readonly string[]
}

/** The questions that a sheet leaves open, each with its possible answers. */
export function SheetQuestions({ questions, answers, isBusy, onAnswer }: SheetQuestionsProps) {
  const [given, setGiven] = useState<readonly string[]>([])
  const asked = questions.flatMap(askedBy)
  const submit = (event: Event) => {
    event.preventDefault()
    onAnswer(asked.reduce((all, one, index) => withAnswer(all, one, given[index] ?? ''), answers))
  }
  return (
    <form class="stack" aria-label="Questions about the sheet" onSubmit={submit}>
      {questions.map((question) => (
        <fieldset key={question.about} class="stack">
          <legend>{question.asks}</legend>
          {askedBy(question).map((one) => {
            const index = asked.findIndex(({ key, within }) => key === one.key && within === one.within)
            return (
              <LabelledField
                key={`${one.key} ${one.within}`}
                label={one.label}
                required
                blankChoice="choose"
                value={given[index] ?? ''}
                choices={one.choices.map((value) => ({ value, label: CHOICES[value] ?? value }))}
                onInput={(value) =>
                  setGiven(asked.map((_, at) => (at === index ? value : (given[at] ?? ''))))
                }
              />
            )
          })}
        </fieldset>
      ))}
      <Button kind="primary" submits isBusy={isBusy}>
        Continue
      </Button>
    </form>
  )
}

/** Words of answers that do not stand for themselves. */
const CHOICES: Readonly<Record<string, string>> = {
  replace: 'Replace: rates that it does not mention are removed',
  merge: 'Merge: rates that it does not mention stay',
}

/** What a profile in JSON does with the rates that a sheet does not mention. */
export const modeInWords = (profile: string): string => CHOICES[JSON.parse(profile).mode] ?? ''

function askedBy({ about, choices, words }: SheetQuestion): Asked[] {
  const [key = '', within] = about.split('.')
  if (about === 'columns')
    return [
      { key, within: 'prefix', label: 'Column of the dial codes', choices: words },
      { key, within: 'tariff_rate', label: 'Column of the rates', choices: words },
    ]
  if (words.length > 0) return words.map((word) => ({ key, within: word, label: word, choices }))
  return [{ key, ...(within !== undefined && { within }), label: 'Answer', choices }]
}

const withAnswer = (answers: SheetAnswers, { key, within }: Asked, value: string): SheetAnswers => {
  const known = answers[key]
  const nested = typeof known === 'object' ? known : {}
  return { ...answers, [key]: within === undefined ? value : { ...nested, [within]: value } }
}
