import { useState } from 'preact/hooks'
import type { BilledRow, DOCUMENT_NAMES, DocumentsAnswer } from '#lib/api/console/answers/billing.ts'
import type { Refusal } from '../api/console-api.ts'
import { savePdf } from '../billing/month-zip.ts'
import { BLANK } from '../format.ts'
import { goWith, type Place } from '../place.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { OwnChoice } from './fields.tsx'
import { type Own, useOwn } from './own.ts'
import { type OwnColumn, OwnList, OwnSection, usePages } from './rows.tsx'
import { type PortalText, refusalText } from './texts.ts'

type Kind = (typeof DOCUMENT_NAMES)[number]

const KINDS: readonly (readonly [kind: Kind, text: PortalText])[] = [
  ['invoices', 'invoices'],
  ['credit-notes', 'creditNotes'],
  ['payments', 'payments'],
]

const rowsOf = ({ documents }: DocumentsAnswer) => documents

/** Invoices and credit notes as PDFs, and payments. */
export function OwnDocuments({ place }: { readonly place: Place }) {
  const own = useOwn()
  const { t } = own
  const [kind, text] =
    KINDS.find(([name]) => name === place.values['kind']) ?? (['invoices', 'invoices'] as const)
  const pages = usePages<BilledRow, DocumentsAnswer>('/documents', { kind }, rowsOf)
  return (
    <div class="stack">
      <PageHeader title={t('documents')} />
      <OwnSection label={t(text)}>
        <OwnChoice
          label={t('kind')}
          value={kind}
          choices={KINDS.map(([name, title]) => [name, t(title)])}
          onChange={(chosen) => goWith({ kind: chosen })}
        />
        <OwnList
          label={t(text)}
          pages={pages}
          empty={t('noDocuments')}
          columns={ownDocumentColumns(own, kind)}
        />
      </OwnSection>
    </div>
  )
}

const STATES = {
  paid: ['paid', 'good'],
  unpaid: ['unpaid', 'warn'],
  completed: ['completed', 'good'],
  pending: ['pending', 'warn'],
} as const satisfies Record<BilledRow['status'], readonly [PortalText, 'good' | 'warn']>

export function ownDocumentColumns({ t, money, day }: Own, kind: Kind): readonly OwnColumn<BilledRow>[] {
  return [
    { title: t('number'), cell: ({ number }) => number },
    { title: t('date'), cell: ({ date }) => day(date) },
    ...(kind === 'invoices'
      ? [{ title: t('dueDay'), cell: ({ due }: BilledRow) => (due === null ? BLANK : day(due)) }]
      : []),
    {
      title: t('total'),
      cell: ({ amountWithVat, currency }) => money(amountWithVat, currency),
      isNumber: true,
    },
    {
      title: t('state'),
      cell: ({ status }) => <Badge tone={STATES[status][1]} text={t(STATES[status][0])} />,
    },
    ...(kind === 'payments'
      ? []
      : [{ title: t('file'), cell: (row: BilledRow) => <SavePdf kind={kind} row={row} /> }]),
  ]
}

/** Saves the PDF; what stands in the way stays beside the button. */
function SavePdf({ kind, row: { id, number } }: { readonly kind: Kind; readonly row: BilledRow }) {
  const { t } = useOwn()
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState('')
  const save = async () => {
    setBusy(true)
    setProblem('')
    await savePdf(kind, id).catch(({ code }: Refusal) =>
      setProblem(code === 'conflict' ? t('noFile') : refusalText(t, code)),
    )
    setBusy(false)
  }
  return (
    <>
      <Button small icon="download" label={t('savePdf', { number })} isBusy={isBusy} onClick={save}>
        PDF
      </Button>
      {problem && (
        <span class="wrong" role="alert">
          {problem}
        </span>
      )}
    </>
  )
}
