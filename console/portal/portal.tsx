import type { FunctionComponent } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import type { SessionAnswer } from '#lib/api/console/answers/installation.ts'
import { focusMain } from '../base/focus.ts'
import { linkToRoute, type PageRoute, useRoute } from '../base/route.ts'
import { UiLabelsContext } from '../base/ui-labels.ts'
import { Button } from '../ui/button.tsx'
import { Toasts } from '../ui/toast.tsx'
import { PortalAccount } from './account.tsx'
import { keepSeller, useBrand } from './brand.ts'
import { PortalCalls } from './calls.tsx'
import { PortalDevices } from './devices.tsx'
import { PortalDocuments } from './documents.tsx'
import { PortalHome } from './home.tsx'
import {
  type PortalAnswer,
  PortalContext,
  portalSessionOf,
  portalUiLabels,
  usePortal,
} from './portal-session.ts'
import { PortalPrices } from './prices.tsx'
import type { PortalText } from './texts.ts'

type View = FunctionComponent<{ readonly route: PageRoute }>

/** The views by the first part of their address, in the order of the navigation. */
const VIEWS: readonly (readonly [name: string, text: PortalText, view: View])[] = [
  ['home', 'home', PortalHome],
  ['calls', 'calls', PortalCalls],
  ['prices', 'prices', PortalPrices],
  ['devices', 'devices', PortalDevices],
  ['documents', 'documents', PortalDocuments],
  ['account', 'account', PortalAccount],
]

interface PortalProps {
  readonly session: SessionAnswer
  readonly page: PortalAnswer
  readonly onSignOut: () => void
}

/** The page of a customer, with the name, the logo and the colour of its seller. */
export function Portal({ session, page, onSignOut }: PortalProps) {
  const [language, setLanguage] = useState(page.language)
  const portal = useMemo(
    () => portalSessionOf(session, { ...page, language }, setLanguage),
    [session, page, language],
  )
  useEffect(() => keepSeller(page.seller.id), [page.seller.id])
  useEffect(() => {
    document.documentElement.lang = language
  }, [language])
  return (
    <PortalContext.Provider value={portal}>
      <UiLabelsContext.Provider value={useMemo(() => portalUiLabels(portal.t), [portal])}>
        <Toasts>
          <Page onSignOut={onSignOut} />
        </Toasts>
      </UiLabelsContext.Provider>
    </PortalContext.Provider>
  )
}

function Page({ onSignOut }: Pick<PortalProps, 'onSignOut'>) {
  const { t, page } = usePortal()
  const route = useRoute()
  const brand = useBrand(page.seller.id)
  const [name, text, Chosen] =
    VIEWS.find(([one]) => one === route.section) ?? (['home', 'home', PortalHome] as const)
  const seller = page.seller.name || t('yourAccount')
  useEffect(() => {
    document.title = `${t(text)} · ${seller}`
  }, [t, text, seller])
  return (
    <div class="portal">
      <button type="button" class="skip" onClick={focusMain}>
        {t('skip')}
      </button>
      <header class="portal-top">
        <span class="portal-brand">
          {brand?.logo && <img src={brand.logo} alt="" />}
          <strong>{seller}</strong>
        </span>
        <SignOut onSignOut={onSignOut} />
        <nav aria-label={t('pages')}>
          {VIEWS.map(([one, title]) => (
            <a key={one} href={linkToRoute([one])} aria-current={one === name ? 'page' : undefined}>
              {t(title)}
            </a>
          ))}
        </nav>
      </header>
      <main id="main">
        <Chosen key={name} route={route} />
      </main>
    </div>
  )
}

function SignOut({ onSignOut }: Pick<PortalProps, 'onSignOut'>) {
  const { t, session } = usePortal()
  return (
    <span class="portal-signer">
      <span class="muted">{session.name}</span>
      <Button small onClick={onSignOut}>
        {t('signOut')}
      </Button>
    </span>
  )
}
