import type { FunctionComponent } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { SessionAnswer } from '#lib/api/console/answers/installation.ts'
import { act, SESSION_ENDED } from './api/console-api.ts'
import { useQuery } from './api/use-query.ts'
import { focusMain } from './base/focus.ts'
import { rangeIn } from './base/range.ts'
import { useRoute } from './base/route.ts'
import type { SectionProps } from './base/section.ts'
import { forgetKey } from './base/session.ts'
import { UiLabelsContext } from './base/ui-labels.ts'
import { Billing } from './billing/billing.tsx'
import { InvoicePage } from './billing/invoice-page.tsx'
import { Calls } from './calls/call-list.tsx'
import { Customers } from './customers/customers.tsx'
import { Imports } from './imports/imports.tsx'
import { KeysSection } from './keys/keys.tsx'
import { Overview } from './overview/overview.tsx'
import { portalUiLabels } from './portal/portal-session.ts'
import { portalLabels } from './portal/texts.ts'
import { Records } from './records/record-list.tsx'
import { RECORD_VIEWS } from './records/record-views.ts'
import { Reports } from './reports/reports.tsx'
import { SettingsSection } from './settings/settings.tsx'
import { sectionsFor, titleOfSection } from './shell/sections.ts'
import { Shell } from './shell/shell.tsx'
import { SignIn } from './shell/sign-in.tsx'
import { lazySection } from './states/lazy.tsx'
import { RefusalNotice } from './states/refusal-notice.tsx'
import { SectionNames } from './states/remedy.tsx'
import { Suspense } from './suspense/suspense.tsx'
import { SwitchesSection } from './switches/switches.tsx'
import { Tariffs } from './tariffs/tariffs.tsx'
import { EmptyState } from './ui/empty-state.tsx'
import { PageHeader } from './ui/page-header.tsx'
import { Toasts } from './ui/toast.tsx'
import { WebhooksSection } from './webhooks/webhooks.tsx'

const LazyPortal = lazySection(() => import('./portal/portal.tsx').then((module) => module.Portal))

const developers = () => import('./developers/developers.tsx')

const SECTIONS: ReadonlyMap<string, FunctionComponent<SectionProps>> = new Map(
  Object.entries({
    overview: Overview,
    customers: Customers,
    calls: Calls,
    suspense: Suspense,
    reratings: lazySection(() => import('./reratings/reratings.tsx').then((module) => module.Reratings)),
    imports: Imports,
    billing: Billing,
    invoices: InvoicePage,
    reports: Reports,
    settings: SettingsSection,
    keys: KeysSection,
    switches: SwitchesSection,
    webhooks: WebhooksSection,
    explorer: lazySection(() => developers().then((module) => module.ExplorerSection)),
    'refused-hash': lazySection(() => developers().then((module) => module.SignatureDiagnosisSection)),
    ...Object.fromEntries(Object.keys(RECORD_VIEWS).map((kind) => [kind, Records])),
    tariffs: Tariffs,
  }),
)

/** Without a session, and while the page of customers is off, there is the sign-in. */
const SIGNED_OUT = ['not_signed_in', 'page_off']

/** The session that was found, began or ended. */
function useSession() {
  const { value, problem, isUnderWay, again } = useQuery('/session')
  const [changed, change] = useState<SessionAnswer | null>()
  useEffect(() => {
    const end = () => change(null)
    addEventListener(SESSION_ENDED, end)
    return () => removeEventListener(SESSION_ENDED, end)
  }, [])
  return {
    session: changed === undefined ? value : changed,
    failure: problem && !SIGNED_OUT.includes(problem.code) ? problem : undefined,
    ...{ isUnderWay, again, change },
  }
}

/** Signs in first: without a session there is nothing to go to. */
export function App() {
  const { session, failure, isUnderWay, again, change } = useSession()
  const signIn = (began: SessionAnswer) => {
    change(began)
    // A person reads the heading first, and not the first control of the page.
    setTimeout(focusMain)
  }
  if (failure)
    return (
      <main class="alone">
        <h1>Tollgate</h1>
        <RefusalNotice problem={failure} onRetry={again} />
      </main>
    )
  if (session) return <SignedIn session={session} onEnd={() => change(null)} />
  if (isUnderWay) return null
  return <SignIn onSignIn={signIn} />
}

function SignedIn({ session, onEnd }: { readonly session: SessionAnswer; readonly onEnd: () => void }) {
  const signOut = async () => {
    forgetKey()
    await act('DELETE', '/session').catch(() => undefined)
    onEnd()
  }
  if (session.portal)
    return (
      <UiLabelsContext.Provider value={portalUiLabels(portalLabels(session.portal.language))}>
        <LazyPortal key={session.username} session={session} page={session.portal} onSignOut={signOut} />
      </UiLabelsContext.Provider>
    )
  return (
    <SectionNames.Provider value={session.sections}>
      <Toasts key={session.username}>
        <Sections session={session} onSignOut={signOut} />
      </Toasts>
    </SectionNames.Provider>
  )
}

/** For an address that names nothing, or a section that is not for this account. */
const NoSuchPage = () => (
  <div class="stack">
    <PageHeader title="No such page" />
    <EmptyState
      icon="search"
      title={`No page at ${location.hash}`}
      text="The address is mistyped, or the page is not for your account."
    >
      <a class="button" href="#/">
        Go to the first page
      </a>
    </EmptyState>
  </div>
)

/** The address without a section shows the first one. */
function Sections({
  session,
  onSignOut,
}: {
  readonly session: SessionAnswer
  readonly onSignOut: () => void
}) {
  const route = useRoute()
  const allowed = sectionsFor(session)
  const section = route.section || allowed[0]?.name || ''
  const owner = section === 'invoices' ? 'billing' : section
  const Chosen = (allowed.some(({ name }) => name === owner) && SECTIONS.get(section)) || NoSuchPage
  const range = rangeIn(route.values, session.today)
  useEffect(() => {
    document.title = `${section === owner ? titleOfSection(section) : `Invoice ${route.id}`} · Tollgate`
  }, [section, route.id])
  return (
    <Shell section={owner} session={session} onSignOut={onSignOut}>
      <main id="main" class={section === 'explorer' ? 'wide' : ''}>
        <Chosen key={section} route={route} session={session} range={range} />
      </main>
    </Shell>
  )
}
