import type { ComponentChild, ComponentChildren } from 'preact'
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { type QueryValues, type Refusal, read } from '../api/console-api.ts'
import type { Reading } from '../api/use-reading.ts'
import { Button } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Notice } from '../ui/notice.tsx'
import { useOwn } from './own.ts'
import { refusalText } from './texts.ts'

/** What failed, and the way to try again. */
export function OwnProblem({
  problem,
  onRetry,
}: {
  readonly problem: Refusal
  readonly onRetry?: () => void
}) {
  const { t } = useOwn()
  return (
    <Notice tone="bad" title={refusalText(t, problem.code)}>
      {onRetry && (
        <Button small onClick={onRetry}>
          {t('retry')}
        </Button>
      )}
    </Notice>
  )
}

export function Waiting() {
  const { t } = useOwn()
  return (
    <div class="skeleton" role="status">
      <span class="unseen">{t('loading')}</span>
      <i />
      <i />
      <i />
    </div>
  )
}

interface OwnReadingProps<T> {
  readonly reading: Reading<T>
  readonly children: (value: T) => ComponentChildren
}

export function OwnReading<T>({ reading: { value, problem, again }, children }: OwnReadingProps<T>) {
  if (problem) return <OwnProblem problem={problem} onRetry={again} />
  return value === undefined ? <Waiting /> : children(value)
}

interface Pages<R, A> {
  readonly rows: readonly R[]
  readonly answer?: A | undefined
  readonly problem?: Refusal | undefined
  readonly isUnderWay: boolean
  /** Reads the next page; absent at the end. */
  readonly more?: (() => void) | undefined
}

interface Found<R, A> {
  readonly asked: string
  readonly rows: readonly R[]
  readonly answer?: A
  readonly problem?: Refusal
}

/** Reads a list page by page. Another query begins a new list. */
export function usePages<R, A extends { readonly next: string | null }>(
  path: string,
  query: QueryValues,
  rowsOf: (answer: A) => readonly R[],
): Pages<R, A> {
  const asked = JSON.stringify([path, query])
  const [found, setFound] = useState<Found<R, A>>({ asked: '', rows: [] })
  const current = useRef(asked)
  current.current = asked
  const page = useCallback(
    (before: readonly R[], after: string | undefined) => {
      const tell = (one: Found<R, A>) => current.current === asked && setFound(one)
      read<A>(path, { ...query, after }).then(
        (answer) => tell({ asked, answer, rows: [...before, ...rowsOf(answer)] }),
        (problem: Refusal) => tell({ asked, rows: before, problem }),
      )
    },
    [asked],
  )
  useEffect(() => page([], undefined), [page])
  const isCurrent = found.asked === asked
  const { rows, answer, problem } = isCurrent ? found : { rows: [], answer: undefined, problem: undefined }
  const next = answer?.next
  const isMore = problem !== undefined || typeof next === 'string'
  return {
    rows,
    answer,
    problem,
    isUnderWay: !isCurrent,
    more: isMore ? () => page(rows, next ?? undefined) : undefined,
  }
}

/** A surface whose title the view has already. */
export const OwnSection = ({
  label,
  children,
}: {
  readonly label: string
  readonly children: ComponentChildren
}) => (
  <section class="card" aria-label={label}>
    <div class="card-body">{children}</div>
  </section>
)

export interface OwnColumn<R> {
  readonly title: string
  readonly cell: (row: R) => ComponentChild
  readonly isNumber?: boolean
}

interface OwnTableProps<R> {
  readonly label: string
  readonly columns: readonly OwnColumn<R>[]
  readonly rows: readonly R[]
}

/** Rows under headings; on a phone each row is a list of its cells with their headings. */
export const OwnTable = <R,>({ label, columns, rows }: OwnTableProps<R>) => (
  <div class="own-table">
    <table>
      <caption class="unseen">{label}</caption>
      <thead>
        <tr>
          {columns.map(({ title, isNumber }) => (
            <th key={title} scope="col" class={isNumber ? 'number' : undefined}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          <tr key={index}>
            {columns.map(({ title, cell, isNumber }) => (
              <td key={title} class={isNumber ? 'number' : undefined} data-title={title}>
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

interface OwnListProps<R, A> extends Omit<OwnTableProps<R>, 'rows'> {
  readonly pages: Pages<R, A>
  readonly empty: string
}

export function OwnList<R, A>({ pages, empty, ...table }: OwnListProps<R, A>) {
  const { t } = useOwn()
  const { rows, problem, isUnderWay, more } = pages
  if (isUnderWay) return <Waiting />
  return (
    <>
      {rows.length > 0 && <OwnTable {...table} rows={rows} />}
      {rows.length === 0 && !more && <EmptyState title={empty} />}
      {problem && <OwnProblem problem={problem} />}
      {more && (
        <div class="own-more">
          <Button onClick={more}>{t(problem ? 'retry' : 'more')}</Button>
        </div>
      )}
    </>
  )
}
