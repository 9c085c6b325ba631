import type { CallRowAnswer } from '#lib/api/console/answers/calls.ts'
import { firstOfMonth } from '#lib/base/calendar.ts'
import type { QueryValues } from '../api/console-api.ts'
import { answerPages, usePages } from '../api/use-pages.ts'
import { formatLength } from '../base/format.ts'
import type { PageRoute } from '../base/route.ts'
import { CsvButton } from '../states/csv-button.tsx'
import type { TypedColumn } from '../tables/columns.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { useToast } from '../ui/toast.tsx'
import { type PortalSession, usePortal } from './portal-session.ts'
import { DaysForm, PortalCard, PortalList } from './rows.tsx'
import type { PortalText } from './texts.ts'

/** Further calls load as one scrolls: a hundred are 17,000 pixels on a phone. */
const PAGE_CALLS = 25

/** The calls of some days, the newest first. The address has the days. */
export function PortalCalls({ route: { values } }: { readonly route: PageRoute }) {
  const portal = usePortal()
  const { t, session } = portal
  const { from = firstOfMonth(session.today), till = session.today, number = '' } = values
  const queryValues = { from, till, number }
  return (
    <div class="stack">
      <PageHeader title={t('calls')}>
        <SaveCsv queryValues={queryValues} />
      </PageHeader>
      <PortalCard label={t('calls')}>
        <DaysForm
          key={JSON.stringify(queryValues)}
          label={t('calls')}
          days={queryValues}
          more={[{ name: 'number', label: t('numberBegins'), type: 'tel' }]}
        />
        <PortalList
          label={t('calls')}
          query={usePages('/calls', {
            ...{ ...queryValues, count: PAGE_CALLS, destinations: 'yes' },
          })}
          rowsOf={({ calls }) => calls}
          empty={number === '' ? t('noCalls') : t('noneFound', { wanted: number })}
          columns={columnsOf(portal)}
        />
      </PortalCard>
    </div>
  )
}

const DISPOSITIONS: Readonly<Record<string, PortalText>> = {
  answered: 'answered',
  busy: 'busy',
  'no answer': 'noAnswer',
}

/** Switches write NO ANSWER, the signed API also no_answer. */
const stateOf = ({ disposition }: CallRowAnswer): PortalText =>
  DISPOSITIONS[disposition.toLowerCase().replaceAll('_', ' ')] ?? 'callFailed'

/** All prices of a column have the same number of decimals. */
const PRICE_DECIMALS = 4

const columnsOf = ({ t, time, amount, session }: PortalSession): readonly TypedColumn<CallRowAnswer>[] => [
  { title: t('time'), text: ({ at }) => time(at) },
  { title: t('caller'), text: ({ from }) => from, rank: 3 },
  { title: t('called'), text: ({ to }) => to },
  { title: t('destination'), text: ({ destination }) => destination },
  { title: t('state'), text: (call) => t(stateOf(call)) },
  { title: t('duration'), number: ({ seconds }) => formatLength(seconds) },
  {
    title: `${t('price')}, ${session.currency}`,
    number: (call) => amount(call.price, PRICE_DECIMALS),
    onPhone: 'first',
  },
]

/** The largest number of calls in a file: about a hundred requests. */
const MOST_CALLS = 10_000

/** Saves the calls of the days as CSV, with plain numbers and the times of the installation. */
function SaveCsv({ queryValues }: { readonly queryValues: QueryValues }) {
  const { t, session } = usePortal()
  const showToast = useToast()
  async function* lines() {
    for await (const { calls } of answerPages('/calls', { ...queryValues, destinations: 'yes' }))
      yield calls.map((call) => [
        ...[call.at, call.from, call.to, call.destination ?? '', t(stateOf(call))],
        ...[String(call.seconds), call.price ?? ''],
      ])
  }
  return (
    <CsvButton
      name={`${t('calls')}-${queryValues['from']}-${queryValues['till']}`}
      heading={[
        ...[t('time'), t('caller'), t('called'), t('destination'), t('state')],
        ...[`${t('duration')} (s)`, `${t('price')} (${session.currency})`],
      ]}
      pages={lines}
      text={t('saveCsv')}
      mostRows={MOST_CALLS}
      onCut={(calls) => showToast(t('cutCsv', { calls }))}
    />
  )
}
