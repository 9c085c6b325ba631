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
import { type PortalText, refusalText } from './texts.ts'

type Kind = (typeof DOCUMENT_NAMES)[number]

const KINDS: readonly (readonly [kind: Kind, text: PortalText])[] = [
  ['invoices', 'invoices'],
  ['credit-notes', 'creditNotes'],
  ['payments', 'payments'],
]

/** Invoices and credit notes as PDFs, and payments. */
export function PortalDocuments({ route }: { readonly route: PageRoute }) {
  const portal = usePortal()
  const { t } = portal
  const [kind, text] =
    KINDS.find(([name]) => name === route.values['kind']) ?? (['invoices', 'invoices'] as const)
  const query = usePages<DocumentsAnswer>('/documents', { kind })
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
        <PortalList
          label={t(text)}
          query={query}
          rowsOf={({ documents }) => documents}
          empty={t('noDocuments')}
          columns={portalDocumentColumns(portal, kind)}
        />
      </PortalCard>
    </div>
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

/** Saves the PDF; what stands in the way stays beside the button. */
function SavePdf({ kind, row: { id, number } }: { readonly kind: Kind; readonly row: BilledRow }) {
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
