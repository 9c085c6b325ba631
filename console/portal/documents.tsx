import type { BilledRow, DOCUMENT_NAMES, DocumentsAnswer } from '#lib/api/console/answers/billing.ts'
import { useAction } from '../api/use-action.ts'
import { usePages } from '../api/use-pages.ts'
import { navigate, type PageRoute } from '../base/route.ts'
import { saveDocument } from '../billing/month-zip.ts'
import type { TypedColumn } from '../tables/columns.tsx'
import { Button } from '../ui/button.tsx'
import { LabelledField } from '../ui/field.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { type PortalSession, usePortal } from './portal-session.ts'
import { PortalCard, PortalList } from './rows.tsx'
import { PortalStatement } from './statement.tsx'
import { type PortalText, refusalText } from './texts.ts'

type Kind = (typeof DOCUMENT_NAMES)[number]

const KINDS: readonly (readonly [kind: Kind | 'statement', text: PortalText])[] = [
  ['invoices', 'invoices'],
  ['credit-notes', 'creditNotes'],
  ['payments', 'payments'],
  ['statement', 'statement'],
]

/** Invoices and credit notes as PDFs, payments, and what all of them come to. */
export function PortalDocuments({ route }: { readonly route: PageRoute }) {
  const { t } = usePortal()
  const [kind, text] =
    KINDS.find(([name]) => name === route.values['kind']) ?? (['invoices', 'invoices'] as const)
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

function Listed({ kind }: { readonly kind: Kind }) {
  const portal = usePortal()
  return (
    <PortalList
      label={portal.t(KINDS.find(([name]) => name === kind)?.[1] ?? 'documents')}
      query={usePages<DocumentsAnswer>('/documents', { kind })}
      rowsOf={({ documents }) => documents}
      empty={portal.t('noDocuments')}
      columns={portalDocumentColumns(portal, kind)}
    />
  )
}

const STATES = {
  paid: ['paid', 'good'],
  unpaid: ['unpaid', 'warn'],
  completed: ['completed', 'good'],
  pending: ['pending', 'warn'],
} as const satisfies Record<BilledRow['status'], readonly [PortalText, 'good' | 'warn']>

export function portalDocumentColumns(
  { t, money, day }: PortalSession,
  kind: Kind,
): readonly TypedColumn<BilledRow>[] {
  const due: TypedColumn<BilledRow> = { title: t('dueDay'), text: (row) => row.due && day(row.due) }
  const file: TypedColumn<BilledRow> = {
    title: t('file'),
    text: () => 'PDF',
    show: (row) => <SavePdf kind={kind} row={row} />,
  }
  return [
    { title: t('number'), text: ({ number }) => number },
    { title: t('date'), text: ({ date }) => day(date) },
    ...(kind === 'invoices' ? [due] : []),
    { title: t('total'), number: ({ amountWithVat, currency }) => money(amountWithVat, currency) },
    { title: t('state'), state: ({ status }) => [t(STATES[status][0]), STATES[status][1]] },
    ...(kind === 'payments' ? [] : [file]),
  ]
}

interface SavePdfProps {
  readonly kind: Kind
  readonly row: Pick<BilledRow, 'id' | 'number'>
}

/** Saves the PDF; what stands in the way stays beside the button. */
export function SavePdf({ kind, row: { id, number } }: SavePdfProps) {
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
