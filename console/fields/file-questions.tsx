import { useState } from 'preact/hooks'
import { Button } from '../ui/button.tsx'
import { LabelledField } from '../ui/field.tsx'

interface FileQuestion {
  readonly about: string
  readonly asks: string
  readonly choices: readonly string[]
  readonly words: readonly string[]
}

/** A profile of files: the answers by the subjects of their questions. */
type FileAnswers = Readonly<Record<string, string | Readonly<Record<string, string>>>>

interface FileQuestionsProps {
  readonly questions: readonly FileQuestion[]
  readonly answers: FileAnswers
  readonly isBusy: boolean
  /** The columns that a file needs, by their keys in the profile. */
  readonly columns: Readonly<Record<string, string>>
  /** Labels of answers that are not plain words. */
  readonly words?: Readonly<Record<string, string>>
  readonly onAnswer: (answers: FileAnswers) => unknown
}

/** One answer: its key in the profile, such as `decimal` or `columns` and `prefix`. */
interface Asked {
  readonly key: string
  readonly within?: string
  readonly label: string
  readonly choices: readonly string[]
}

/** The questions that a file leaves open, each with its possible answers. */
export function FileQuestions({
  questions,
  answers,
  isBusy,
  columns,
  words = {},
  onAnswer,
}: FileQuestionsProps) {
  const [given, setGiven] = useState<readonly string[]>([])
  const asked = questions.flatMap((one) => askedBy(one, columns))
  const submit = (event: Event) => {
    event.preventDefault()
    onAnswer(asked.reduce((all, one, index) => withAnswer(all, one, given[index] ?? ''), answers))
  }
  return (
    <form class="stack" aria-label="Questions about the file" onSubmit={submit}>
      {questions.map((question) => (
        <fieldset key={question.about} class="stack">
          <legend>{question.asks}</legend>
          {askedBy(question, columns).map((one) => {
            const index = asked.findIndex(({ key, within }) => key === one.key && within === one.within)
            return (
              <LabelledField
                key={`${one.key} ${one.within}`}
                label={one.label}
                required
                blankChoice="choose"
                value={given[index] ?? ''}
                choices={one.choices.map((value) => ({ value, label: words[value] ?? value }))}
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

function askedBy({ about, choices, words }: FileQuestion, columns: FileQuestionsProps['columns']): Asked[] {
  const [key = '', within] = about.split('.')
  if (about === 'columns')
    return Object.entries(columns).map(([column, label]) => ({ key, within: column, label, choices: words }))
  if (words.length > 0) return words.map((word) => ({ key, within: word, label: word, choices }))
  return [{ key, ...(within !== undefined && { within }), label: 'Answer', choices }]
}

const withAnswer = (answers: FileAnswers, { key, within }: Asked, value: string): FileAnswers => {
  const known = answers[key]
  const nested = typeof known === 'object' ? known : {}
  return { ...answers, [key]: within === undefined ? value : { ...nested, [within]: value } }
}
