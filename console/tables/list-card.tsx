import type { ComponentChildren } from 'preact'
import type { ApiQuery } from '../api/use-query.ts'
import { Loaded } from '../states/loaded.tsx'
import { Card } from '../ui/card.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import type { TypedColumn } from './columns.tsx'
import { Table } from './table.tsx'

type RowOf<A, K extends keyof A> = A[K] extends readonly (infer R)[] ? R : never

interface ListCardProps<A, K extends keyof A> {
  readonly title: string
  /** The name of the table, where it is not the title. */
  readonly label?: string
  readonly beside?: ComponentChildren
  readonly query: ApiQuery<A>
  /** The name of the list in the answer. */
  readonly rows: K
  readonly columns: (answer: A) => readonly TypedColumn<RowOf<A, K>>[]
  readonly actions?: (row: RowOf<A, K>) => ComponentChildren
  /** Said of an empty list: that it is empty, and the way to fill it. */
  readonly none: string
  readonly noneText?: string
  /** Shown below the table. */
  readonly below?: (answer: A) => ComponentChildren
}

/** A list that the API answers with, under its title. */
export const ListCard = <A, K extends keyof A>(props: ListCardProps<A, K>) => (
  <Card title={props.title} beside={props.beside}>
    <Loaded query={props.query} what={props.title.toLowerCase()}>
      {(answer) => (
        <>
          <Table
            label={props.label ?? props.title}
            columns={props.columns(answer)}
            rows={answer[props.rows] as readonly RowOf<A, K>[]}
            empty={<EmptyState title={props.none} text={props.noneText ?? ''} />}
            {...(props.actions && { actions: props.actions })}
          />
          {props.below?.(answer)}
        </>
      )}
    </Loaded>
  </Card>
)
