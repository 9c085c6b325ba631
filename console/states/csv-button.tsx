import { useState } from 'preact/hooks'
import { csvLine } from '#lib/csv/writer.ts'
import { useAction } from '../api/use-action.ts'
import { download } from '../base/download.ts'
import { formatCount } from '../base/format.ts'
import { Button } from '../ui/button.tsx'
import { RefusalNotice } from './refusal-notice.tsx'

interface CsvButtonProps {
  /** The name of the file, without its ending. */
  readonly name: string
  readonly heading: readonly string[]
  /** The lines of the list in pages, each line with a cell for each heading. */
  readonly pages: () => AsyncIterable<readonly (readonly string[])[]>
  /** The words of the button. */
  readonly text?: string
  readonly mostRows?: number
  /** Called with the number of rows of a file that is cut. */
  readonly onCut?: (rows: string) => void
}

/** A file of more rows than this is large for a browser: `npx tollgate export` writes it. */
const MOST_ROWS = 200_000

/** Saves all pages of a list as CSV, as they are filtered. */
export function CsvButton({ name, heading, pages, text, mostRows = MOST_ROWS, onCut }: CsvButtonProps) {
  const [count, setCount] = useState(0)
  const { run, isUnderWay, problem } = useAction()
  const save = () =>
    run(async () => {
      const lines = [csvLine(heading)]
      for await (const page of pages()) {
        lines.push(...page.map((cells) => csvLine(cells)))
        setCount(lines.length - 1)
        if (lines.length <= mostRows) continue
        onCut?.(String(lines.length - 1))
        break
      }
      download(`${name}.csv`, lines.join(''), 'text/csv')
    })
  return (
    <>
      {problem && <RefusalNotice problem={problem} />}
      <Button small={text === undefined} icon="download" isBusy={isUnderWay} onClick={save}>
        {text ?? (isUnderWay ? `${formatCount(count)} rows …` : 'CSV')}
      </Button>
    </>
  )
}
