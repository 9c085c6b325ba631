import { useState } from 'preact/hooks'
import type { RecordsAnswer } from '#lib/api/console/answers/records.ts'
import type { SentValues } from '../api/catalogue.ts'
import { useReading } from '../api/use-reading.ts'
import { dash } from '../format.ts'
import { CustomerLink } from '../links/customer-link.tsx'
import { Loaded } from '../states/loaded.tsx'
import { Table, type TableColumn } from '../tables/table.tsx'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { RecordPanel } from './record-panel.tsx'
import { RECORD_VIEWS, recordNoun } from './record-views.ts'
import { useNamesOf } from './use-records.ts'

interface RecordListProps {
  readonly kind: string
  /** The record that these belong to, such as the account of devices. */
  readonly of?: string | undefined
  /** The columns of a new record that its place decides. */
  readonly fixed?: SentValues
  /** The key of the page; a list inside another record shows the first one. */
  readonly after?: string
  readonly onPage?: (after: string) => void
  readonly onChanged?: () => void
}

export function RecordList(props: RecordListProps) {
  const { kind, of, fixed, after = '', onChanged } = props
  const reading = useReading<RecordsAnswer>(`/records/${kind}`, { of, after })
  const [opened, setOpened] = useState<{ readonly id?: string }>()
  const view = RECORD_VIEWS[kind]
  const mayAdd = reading.value?.may.includes('add')
  const add = mayAdd && (
    <Button icon="plus" small onClick={() => setOpened({})}>
      {`Add ${recordNoun(kind)}`}
    </Button>
  )
  return (
    <>
      <Card title={view?.title ?? kind} beside={add}>
        <Loaded reading={reading} what="the list">
          {(answer) => <Listed {...{ kind, of, answer, after }} onOpen={(id) => setOpened({ id })} />}
        </Loaded>
        {(after !== '' || reading.value?.next) && (
          <nav class="pager" aria-label="Pages of the list">
            {after !== '' && (
              <Button small onClick={() => props.onPage?.('')}>
                First page
              </Button>
            )}
            <Button
              small
              isDisabled={!reading.value?.next || !props.onPage}
              onClick={() => props.onPage?.(reading.value?.next ?? '')}
            >
              Next page
            </Button>
          </nav>
        )}
      </Card>
      {opened && (
        <RecordPanel
          key={opened.id ?? ''}
          {...{ kind, of, fixed }}
          parts={(id) =>
            view?.parts && <RecordList kind={view.parts.kind} of={id} fixed={{ [view.parts.column]: id }} />
          }
          id={opened.id}
          onClose={() => setOpened(undefined)}
          onDone={() => {
            setOpened(undefined)
            reading.again()
            onChanged?.()
          }}
        />
      )}
    </>
  )
}

interface ListedProps {
  readonly kind: string
  readonly of: string | undefined
  readonly answer: RecordsAnswer
  readonly after: string
  readonly onOpen: (id: string) => void
}

function Listed({ kind, of, answer: { records, fields }, onOpen }: ListedProps) {
  const shown = (RECORD_VIEWS[kind]?.columns ?? []).flatMap((name) =>
    fields.filter((one) => one.name === name),
  )
  const names = useNamesOf(shown, of)
  const columns: TableColumn[] = [
    {
      key: '#name',
      title: 'Name',
      isNumber: false,
      show: (row) => (
        <button type="button" class="link" onClick={() => onOpen(row['#id'] ?? '')}>
          {row['#name']}
        </button>
      ),
    },
    ...shown.map(({ name, label, control, of: kindOf }, index): TableColumn => {
      const column = { key: name, title: label, isNumber: ['number', 'money'].includes(control) }
      const ranked = index > 2 ? { ...column, rank: 3 as const } : column
      return kindOf === 'accounts'
        ? { ...ranked, show: (row) => <AccountName id={row[`#${name}`]} name={row[name]} /> }
        : ranked
    }),
  ]
  return (
    <Table
      label={RECORD_VIEWS[kind]?.title ?? kind}
      columns={columns}
      rows={records.map(({ id, name, values }) => ({
        '#id': id,
        '#name': name || id,
        ...Object.fromEntries(shown.map((field) => [`#${field.name}`, values[field.name] ?? ''])),
        ...Object.fromEntries(
          shown.map((field) => [
            field.name,
            textOf(values[field.name], field.control, names.get(field.of ?? '')),
          ]),
        ),
      }))}
      empty={<EmptyState title="There are none yet" text={RECORD_VIEWS[kind]?.text ?? ''} />}
    />
  )
}

const AccountName = ({ id = '', name = '' }: Readonly<Record<'id' | 'name', string | undefined>>) =>
  id === '' ? <span>{name}</span> : <CustomerLink id={id} name={name} />

function textOf(value = '', control: string, names: ReadonlyMap<string, string> | undefined): string {
  if (control === 'switch') return value === '1' ? 'yes' : 'no'
  return dash(names?.get(value) ?? value)
}
