import { useState } from 'preact/hooks'
import type { CallRowAnswer, CallsAnswer } from '#lib/api/console/answers/calls.ts'
import { firstOfMonth } from '#lib/base/calendar.ts'
import { csvLine } from '#lib/csv/writer.ts'
import { type QueryValues, type Refusal, read } from '../api/console-api.ts'
import { download } from '../download.ts'
import { formatLength } from '../format.ts'
import { goWith, type Place } from '../place.ts'
import { Button } from '../ui/button.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { useToast } from '../ui/toast.tsx'
import { OwnField, OwnForm } from './fields.tsx'
import { type Own, useOwn } from './own.ts'
import { type OwnColumn, OwnList, OwnSection, usePages } from './rows.tsx'
import { type PortalText, refusalText } from './texts.ts'

const rowsOf = ({ calls }: CallsAnswer) => calls

/** The calls of some days, the newest first. The address has the days. */
export function OwnCalls({ place: { values } }: { readonly place: Place }) {
  const own = useOwn()
  const { t, session } = own
  const { from = firstOfMonth(session.today), till = session.today, number = '' } = values
  const query = { from, till, number }
  const pages = usePages<CallRowAnswer, CallsAnswer>('/calls', query, rowsOf)
  return (
    <div class="stack">
      <PageHeader title={t('calls')}>
        <SaveCsv query={query} />
      </PageHeader>
      <OwnSection label={t('calls')}>
        <Filter key={JSON.stringify(query)} {...query} />
        <OwnList label={t('calls')} pages={pages} empty={t('noCalls')} columns={columnsOf(own)} />
      </OwnSection>
    </div>
  )
}

function Filter(props: { readonly from: string; readonly till: string; readonly number: string }) {
  const { t } = useOwn()
  const [from, setFrom] = useState(props.from)
  const [till, setTill] = useState(props.till)
  const [number, setNumber] = useState(props.number)
  const isWrong = from > till
  return (
    <OwnForm label={t('calls')} onSubmit={() => isWrong || goWith({ from, till, number: number.trim() })}>
      <OwnField label={t('firstDay')} type="date" required value={from} onInput={setFrom} />
      <OwnField
        label={t('lastDay')}
        type="date"
        required
        value={till}
        onInput={setTill}
        wrong={isWrong ? t('wrongDays') : undefined}
      />
      <OwnField label={t('numberBegins')} type="tel" value={number} onInput={setNumber} />
      <Button kind="primary" submits>
        {t('apply')}
      </Button>
    </OwnForm>
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

/** In a column all prices have as many decimals. */
const PRICE_DECIMALS = 4

const columnsOf = ({ t, time, amount, session }: Own): readonly OwnColumn<CallRowAnswer>[] => [
  { title: t('time'), cell: ({ at }) => time(at) },
  { title: t('caller'), cell: ({ from }) => from },
  { title: t('called'), cell: ({ to }) => to },
  { title: t('state'), cell: (call) => t(stateOf(call)) },
  { title: t('duration'), cell: ({ seconds }) => formatLength(seconds), isNumber: true },
  {
    title: `${t('price')}, ${session.currency}`,
    cell: (call) => amount(call.price, PRICE_DECIMALS),
    isNumber: true,
  },
]

/** The largest number of calls in a file: about a hundred requests. */
const MOST_CALLS = 10_000

/** Saves the calls of the days as CSV, with plain numbers and the times of the installation. */
function SaveCsv({ query }: { readonly query: QueryValues }) {
  const own = useOwn()
  const tell = useToast()
  const [isBusy, setBusy] = useState(false)
  const { t } = own
  const save = async () => {
    setBusy(true)
    try {
      const { calls, isCut } = await everyCall(query)
      download(`${t('calls')}-${query['from']}-${query['till']}.csv`, csvOf(calls, own), 'text/csv')
      if (isCut) tell(t('cutCsv', { calls: String(calls.length) }))
    } catch (error) {
      tell(refusalText(t, (error as Refusal).code))
    }
    setBusy(false)
  }
  return (
    <Button icon="download" isBusy={isBusy} onClick={save}>
      {t('saveCsv')}
    </Button>
  )
}

async function everyCall(query: QueryValues) {
  const calls: CallRowAnswer[] = []
  let after: string | null | undefined
  while (after !== null && calls.length < MOST_CALLS) {
    const page: CallsAnswer = await read<CallsAnswer>('/calls', { ...query, after })
    calls.push(...page.calls)
    after = page.next
  }
  return { calls, isCut: after !== null }
}

function csvOf(calls: readonly CallRowAnswer[], { t, session }: Own): string {
  const titles = [t('time'), t('caller'), t('called'), t('state'), `${t('duration')} (s)`]
  const rows = calls.map((call) => [
    call.at,
    call.from,
    call.to,
    t(stateOf(call)),
    String(call.seconds),
    call.price ?? '',
  ])
  return [[...titles, `${t('price')} (${session.currency})`], ...rows].map((row) => csvLine(row)).join('')
}
