import { useState } from 'preact/hooks'
import type { RecordsAnswer } from '#lib/api/console/answers/customers.ts'
import type { SentValues } from '../api/catalogue.ts'
import { useQuery } from '../api/use-query.ts'
import { decimalsIn, formatFixed } from '../base/format.ts'
import type { SectionProps } from '../base/section.ts'
import { PageLinks } from '../links/page-links.tsx'
import { EmptyList } from '../states/empty-list.tsx'
import { Loaded } from '../states/loaded.tsx'
import type { TypedColumn } from '../tables/columns.tsx'
import { Table } from '../tables/table.tsx'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { RecordPanel } from './record-panel.tsx'
import { RECORD_VIEWS, recordNoun, valueInWords } from './record-views.ts'
import type { DeclaredField } from './use-records.ts'

interface RecordListProps {
  readonly kind: string
  /** Whether the list is a section of the console, with its title and its primary action. */
  readonly isSection?: boolean
  /** The record that these belong to, such as the account of devices. */
  readonly of?: string | undefined
  /** The columns of a new record that its place decides. */
  readonly fixed?: SentValues
  /** The key of the page of a section; other lists keep theirs. */
  readonly after?: string
  readonly onChanged?: () => void
}

export function RecordList(props: RecordListProps) {
  const { kind, isSection, of, fixed, onChanged } = props
  const [page, setPage] = useState('')
  const { after = page } = props
  const view = RECORD_VIEWS[kind]
  const named = view?.columns.join()
  const query = useQuery(`/records/${kind}`, { of, after, named })
  const [opened, setOpened] = useState<{ readonly id?: string }>()
  const add = query.value?.may.includes('add') && (
    <Button
      opens
      icon="plus"
      {...(isSection ? { kind: 'primary' } : { small: true })}
      onClick={() => setOpened({})}
    >
      {`Add ${recordNoun(kind)}`}
    </Button>
  )
  return (
    <>
      {isSection && (
        <PageHeader title={view?.title ?? kind} text={view?.text}>
          {add}
        </PageHeader>
      )}
      <Card title={titleOfList(view?.title ?? kind, isSection)} beside={!isSection && add}>
        <Loaded query={query} what="the list">
          {(answer) => (
            <>
              <Listed {...{ kind, answer, after }} onOpen={(id) => setOpened({ id })} />
              <PageLinks {...{ after, next: answer.next }} onPage={isSection ? undefined : setPage} />
            </>
          )}
        </Loaded>
      </Card>
      {opened && (
        <RecordPanel
          key={opened.id ?? ''}
          {...{ kind, of, fixed }}
          details={(id) =>
            view?.details && (
              <RecordList kind={view.details.kind} of={id} fixed={{ [view.details.column]: id }} />
            )
          }
          id={opened.id}
          isReadOnly={!query.value?.may.includes('change')}
          onClose={() => setOpened(undefined)}
          onDone={() => {
            setOpened(undefined)
            query.again()
            onChanged?.()
          }}
        />
      )}
    </>
  )
}

/** The title of a section is in its header: its list is `All services`, `All DIDs`. */
const titleOfList = (title: string, isSection: boolean | undefined): string =>
  isSection ? `All ${inSentence(title)}` : title

const inSentence = (title: string): string => title.replace(/^[A-Z](?=[a-z])/, (first) => first.toLowerCase())

interface ListedProps {
  readonly kind: string
  readonly answer: RecordsAnswer
  readonly after: string
  readonly onOpen: (id: string) => void
}

function Listed({ kind, answer: { records, fields }, after, onOpen }: ListedProps) {
  const shown = (RECORD_VIEWS[kind]?.columns ?? []).flatMap((name) =>
    fields.filter((one) => one.name === name),
  )
  return (
    <Table
      label={RECORD_VIEWS[kind]?.title ?? kind}
      columns={[
        {
          title: 'Name',
          text: ({ id, name }) => name || id,
          show: ({ id, name }) => (
            <button type="button" class="link" aria-haspopup="dialog" onClick={() => onOpen(id)}>
              {name || id}
            </button>
          ),
        },
        ...shown.map((field, index) => ({
          ...columnOf(field, records),
          ...(index > 3 && { rank: 3 as const }),
        })),
      ]}
      rows={records}
      empty={
        <EmptyList
          title={`No ${inSentence(RECORD_VIEWS[kind]?.title ?? kind)} yet`}
          text={RECORD_VIEWS[kind]?.text ?? ''}
          narrowedBy={{ after }}
        />
      }
    />
  )
}

type ListedRecord = RecordsAnswer['records'][number]

/** Prices have the decimals of money, other numbers those of the longest one. */
function columnOf(
  { name, label: title, control, of }: DeclaredField,
  records: readonly ListedRecord[],
): TypedColumn<ListedRecord> {
  const cellIn = ({ values }: ListedRecord) => values[name] ?? ''
  const nameIn = ({ names }: ListedRecord) => names[name]
  if (of === 'accounts')
    return { title, customer: (row) => ({ id: cellIn(row), name: nameIn(row) || cellIn(row) }) }
  if (control === 'money' || control === 'number') {
    const decimals = Math.max(control === 'money' ? 2 : 0, decimalsIn(records.map(cellIn)))
    return { title, number: (row) => cellIn(row) && formatFixed(cellIn(row), decimals) }
  }
  const kind = name === 'type' ? 'choice' : control
  return { title, text: (row) => nameIn(row) || valueInWords(cellIn(row), kind) }
}

/** A section of the console that is a list of records: its name is their kind. */
export const Records = ({ route: { section, values } }: SectionProps) => (
  <div class="stack">
    <RecordList kind={section} isSection after={values['after'] ?? ''} />
  </div>
)
