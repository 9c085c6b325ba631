import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { SentValues } from '../api/catalogue.ts'
import { RefusedRequest } from '../api/console-api.ts'
import type { PagesQuery } from '../api/use-pages.ts'
import { navigate } from '../base/route.ts'
import { ActionForm } from '../fields/action.tsx'
import type { FormField } from '../fields/form-fields.tsx'
import { RefusalNotice } from '../states/refusal-notice.tsx'
import type { TypedColumn } from '../tables/columns.tsx'
import { Table } from '../tables/table.tsx'
import { Button } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { usePortal } from './portal-session.ts'

interface PortalPagesProps<A, R> {
  readonly query: PagesQuery<A>
  readonly rowsOf: (answer: A) => readonly R[]
  /** Said if there are no rows. */
  readonly empty: string
  readonly children: (rows: readonly R[]) => ComponentChildren
}

/** The rows that have been read so far, and a button for more. */
export function PortalPages<A, R>({ query, rowsOf, empty, children }: PortalPagesProps<A, R>) {
  const { t } = usePortal()
  const { pages, next, problem, more } = query
  if (next === undefined && !problem) return <Skeleton />
  const rows = pages.flatMap(rowsOf)
  return (
    <>
      {rows.length > 0 && children(rows)}
      {rows.length === 0 && next === null && <EmptyState title={empty} />}
      {problem && <RefusalNotice problem={problem} />}
      {next !== null && <More text={t(problem ? 'retry' : 'more')} isByItself={!problem} onMore={more} />}
    </>
  )
}

interface MoreProps {
  readonly text: string
  /** It is not pressed again by itself after a refusal. */
  readonly isByItself: boolean
  readonly onMore: () => void
}

/** Reads more when it comes into view, or when it is pressed. */
function More({ text, isByItself, onMore }: MoreProps) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!place.current || !isByItself) return
    const watch = new IntersectionObserver((seen) => {
      if (seen.some(({ isIntersecting }) => isIntersecting)) onMore()
    })
    watch.observe(place.current)
    return () => watch.disconnect()
  }, [isByItself, onMore])
  return (
    <div ref={place}>
      <Button onClick={onMore}>{text}</Button>
    </div>
  )
}

interface PortalListProps<A, R> extends Omit<PortalPagesProps<A, R>, 'children'> {
  readonly label: string
  readonly columns: readonly TypedColumn<R>[]
}

export const PortalList = <A, R>({ label, columns, ...pages }: PortalListProps<A, R>) => (
  <PortalPages {...pages}>{(rows) => <Table isPlain {...{ label, columns, rows }} />}</PortalPages>
)

/** A surface whose title the view has already. */
export const PortalCard = ({
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

interface DaysFormProps {
  readonly label: string
  readonly days: SentValues
  readonly more?: readonly FormField[]
}

/** Asks for the first and the last day of a list, which the address has. */
export function DaysForm({ label, days, more = [] }: DaysFormProps) {
  const { t } = usePortal()
  const apply = async (_once: string, { from = '', till = '', ...others }: SentValues) => {
    const message = t('wrongDays')
    if (till && from > till) throw new RefusedRequest('invalid', message, [{ name: 'till', message }])
    const trimmed = Object.entries(others).map(([name, value]) => [name, value?.trim() ?? ''])
    navigate({ from, till, ...Object.fromEntries(trimmed) })
  }
  return (
    <ActionForm
      isLine
      label={label}
      text={t('apply')}
      initial={days}
      fields={[
        { name: 'from', label: t('firstDay'), type: 'date' },
        { name: 'till', label: t('lastDay'), type: 'date' },
        ...more,
      ]}
      run={apply}
    />
  )
}
