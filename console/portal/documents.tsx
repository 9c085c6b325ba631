import type { BilledRow, DOCUMENT_NAMES, StatementAnswer } from '#lib/api/console/answers/billing.ts'
import type { LedgerValue } from '#lib/api/console/answers/shapes.ts'
import { firstOfMonth } from '#lib/base/calendar.ts'
import { MOVEMENT_TEXTS } from '#lib/billing/ledger/movement-kinds.ts'
import { useAction } from '../api/use-action.ts'
import { usePages } from '../api/use-pages.ts'
import { useQuery } from '../api/use-query.ts'
import { saveDocument, saveOfAccount, textOfFile } from '../base/month-zip.ts'
import { linkToRoute, navigate, type PageRoute } from '../base/route.ts'
import { PrintedPage } from '../settings/printed-page.tsx'
import { stateOfDocument } from '../states/document-state.ts'
import { Loaded } from '../states/loaded.tsx'
import type { TypedColumn } from '../tables/columns.tsx'
import { Table } from '../tables/table.tsx'
import type { Tone } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Facts } from '../ui/facts.tsx'
import { LabelledField } from '../ui/field.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { type PortalSession, usePortal } from './portal-session.ts'
import { DaysForm, PortalCard, PortalList } from './rows.tsx'
import { type PortalText, refusalText } from './texts.ts'

/** The amount owed before some days, each document and payment of them, and the amount owed then. */
function PortalStatement({ route: { values } }: { readonly route: PageRoute }) {
  const { t, session } = usePortal()
  const { from = firstOfMonth(session.today), till = session.today } = values
  const days = { from, till }
  const saving = useAction()
  return (
    <>
      <DaysForm key={from + till} label={t('statement')} days={days} />
      <Button
        icon="download"
        isBusy={saving.isUnderWay}
        onClick={() => saving.run(() => saveOfAccount('statement', days))}
      >
        PDF
      </Button>
      {saving.problem && <p role="alert">{refusalText(t, saving.problem.code)}</p>}
      <Loaded query={useQuery('/documents/statement', days)}>
        {({ statements }) =>
          statements.length === 0 ? (
            <EmptyState title={t('noMovements')} />
          ) : (
            statements.map((one) => <OfCurrency key={one.currency} statement={one} />)
          )
        }
      </Loaded>
    </>
  )
}

function OfCurrency({ statement }: { readonly statement: StatementAnswer['statements'][number] }) {
  const { t, money, day } = usePortal()
  const { currency, opening, entries, closing } = statement
  return (
    <>
      <Facts facts={[[t('owedBefore'), money(opening, currency)]]} />
      <Table
        isPlain
        label={`${t('statement')}, ${currency}`}
        rows={entries}
        columns={[
          { title: t('date'), text: (entry) => day(entry.day) },
          { title: t('kind'), text: ({ kind }) => t(MOVEMENT_TEXTS[kind]) },
          { title: t('number'), text: ({ number }) => number },
          { title: t('amount'), number: ({ amount }) => money(amount, currency) },
          { title: t('owedThen'), number: ({ owed }) => money(owed, currency) },
        ]}
      />
      <Facts facts={[[t('owedAtEnd'), <strong key="end">{money(closing, currency)}</strong>]]} />
    </>
  )
}

type Kind = (typeof DOCUMENT_NAMES)[number]

/** Payments have no file. */
type GivenKind = Exclude<Kind, 'payments'>

const KINDS: readonly (readonly [kind: Kind | 'statement', text: PortalText])[] = [
  ['invoices', 'invoices'],
  ['credit-notes', 'creditNotes'],
  ['payments', 'payments'],
  ['statement', 'statement'],
]

/** Invoices and credit notes as PDFs, payments, and what all of them come to. */
export function PortalDocuments({ route }: { readonly route: PageRoute }) {
  const { t } = usePortal()
  const { view } = route.values
  const [kind, text] =
    KINDS.find(([name]) => name === route.values['kind']) ?? (['invoices', 'invoices'] as const)
  if (view && (kind === 'invoices' || kind === 'credit-notes'))
    return <Shown key={view} kind={kind} id={Number(view)} />
  return (
    <div class="stack">
      <PageHeader title={t('documents')} />
      <PortalCard label={t(text)}>
        <LabelledField
          label={t('kind')}
          value={kind}
          choices={KINDS.map(([value, title]) => ({ value, label: t(title) }))}
          blankChoice=""
          onInput={(chosen) => navigate({ kind: chosen })}
        />
        {kind === 'statement' ? <PortalStatement route={route} /> : <Listed key={kind} kind={kind} />}
      </PortalCard>
    </div>
  )
}

/** A document on the screen, as it is printed. The name of its file is its number. */
function Shown({ kind, id }: { readonly kind: GivenKind; readonly id: number }) {
  const { t } = usePortal()
  const query = useQuery(`/document-files/${kind}/${id}`, { format: 'html' })
  const number = query.value?.name.replace('.html', '') ?? t('documents')
  return (
    <div class="stack">
      <PageHeader title={number} text={<a href={linkToRoute(['documents'], { kind })}>{t('documents')}</a>}>
        <SavePdf kind={kind} row={{ id, number }} />
      </PageHeader>
      <Loaded query={query}>{(file) => <PrintedPage title={number} page={textOfFile(file)} />}</Loaded>
    </div>
  )
}

function Listed({ kind }: { readonly kind: Kind }) {
  const portal = usePortal()
  const { value: month } = useQuery(kind === 'invoices' ? '/own/month' : undefined)
  return (
    <PortalList
      label={portal.t(KINDS.find(([name]) => name === kind)?.[1] ?? 'documents')}
      query={usePages('/documents', { kind })}
      rowsOf={({ documents }) => documents}
      empty={portal.t('noDocuments')}
      columns={portalDocumentColumns(portal, kind, month?.ledger ?? [])}
    />
  )
}

/** Whether payments in advance are as much as all open invoices of a currency. */
export const isCovered = (ledger: LedgerValue, currency: string): boolean =>
  ledger.some((one) => one.currency === currency && Number(one.owed) <= 0)

/** The state of a document in the words of its customer, with the ledger of this one. */
export function portalState(
  { t, session }: PortalSession,
  row: Pick<BilledRow, 'status' | 'open' | 'due' | 'currency'>,
  ledger: LedgerValue,
): readonly [text: string, tone: Tone] {
  const [state, tone] = stateOfDocument(row, session.today)
  const isOpen = state === 'unpaid' || state === 'overdue'
  return isOpen && isCovered(ledger, row.currency) ? [t('covered'), 'good'] : [t(state), tone]
}

export function portalDocumentColumns(
  portal: PortalSession,
  kind: Kind,
  ledger: LedgerValue,
): readonly TypedColumn<BilledRow>[] {
  const { t, money, day } = portal
  const due: TypedColumn<BilledRow> = { title: t('dueDay'), text: (row) => row.due && day(row.due) }
  return [
    { title: t('number'), text: ({ number }) => number, show: (row) => <NumberLink {...{ kind, row }} /> },
    { title: t('date'), text: ({ date }) => day(date) },
    ...(kind === 'invoices' ? [due] : []),
    {
      title: t('total'),
      number: ({ amountWithVat, currency }) => money(amountWithVat, currency),
      onPhone: 'first',
    },
    { title: t('state'), state: (row) => portalState(portal, row, ledger) },
    ...(kind === 'payments'
      ? []
      : [{ title: t('file'), text: () => 'PDF', show: (row: BilledRow) => <SavePdf {...{ kind, row }} /> }]),
  ]
}

interface NamedDocument<K> {
  readonly kind: K
  readonly row: Pick<BilledRow, 'id' | 'number'>
}

/** Payments have no page of their own. */
export const NumberLink = ({ kind, row: { id, number } }: NamedDocument<Kind>) =>
  kind === 'payments' ? (
    <span>{number}</span>
  ) : (
    <a href={linkToRoute(['documents'], { kind, view: String(id) })}>{number}</a>
  )

/** Saves the PDF; an error stays next to the button. */
export function SavePdf({ kind, row: { id, number } }: NamedDocument<GivenKind>) {
  const { t } = usePortal()
  const { run, isUnderWay, problem } = useAction()
  const save = () => run(() => saveDocument(kind, id))
  return (
    <>
      <Button small icon="download" label={t('savePdf', { number })} isBusy={isUnderWay} onClick={save}>
        PDF
      </Button>
      {problem && (
        <span class="wrong" role="alert">
          {problem.code === 'conflict' ? t('noFile') : refusalText(t, problem.code)}
        </span>
      )}
    </>
  )
}
