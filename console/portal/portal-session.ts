import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { SessionAnswer } from '#lib/api/console/answers/installation.ts'
import { type CustomerLanguage, type Formats, formatsIn, LOCALES } from '#lib/base/language/language.ts'
import type { Money } from '#lib/base/money.ts'
import { BLANK, withMinus } from '../base/format.ts'
import type { UiLabels } from '../base/ui-labels.ts'
import { type PortalLabels, portalLabels, refusalText } from './texts.ts'

/** The session of a customer has this in place of the sections of an operator. */
export type PortalAnswer = NonNullable<SessionAnswer['portal']>

/** Every view of the page of a customer knows the session, and how its language writes things. */
export interface PortalSession {
  readonly session: SessionAnswer
  readonly page: PortalAnswer
  readonly t: PortalLabels
  readonly formats: Formats
  readonly money: (amount: Money | null | undefined, currency?: string) => string
  /** An amount with a fixed number of decimals, for a column that names its currency. */
  readonly amount: (amount: Money | null | undefined, decimals: number) => string
  /** A time `YYYY-MM-DD HH:MM:SS` of the installation. */
  readonly time: (text: string) => string
  readonly day: (text: string) => string
  readonly setLanguage: (language: CustomerLanguage) => void
}

export function portalSessionOf(
  session: SessionAnswer,
  page: PortalAnswer,
  setLanguage: PortalSession['setLanguage'],
): PortalSession {
  const formats = formatsIn(page.language)
  const times = formatOfTimes(page.language, { timeStyle: 'medium' })
  const days = formatOfTimes(page.language, {})
  return {
    session,
    page,
    t: portalLabels(page.language),
    formats,
    money: (amount, currency = session.currency) =>
      amount === null || amount === undefined
        ? BLANK
        : `${withMinus(formats.amount(amount, currency))} ${currency}`,
    amount: (amount, decimals) =>
      amount === null || amount === undefined ? BLANK : withMinus(formats.decimals(amount, decimals)),
    time: (text) => times(text.replace(' ', 'T')),
    day: (text) => days(`${text.slice(0, 10)}T00:00:00`),
    setLanguage,
  }
}

/** The clock of the installation is written as it is: no zone of the browser changes it. */
function formatOfTimes(language: CustomerLanguage, options: Intl.DateTimeFormatOptions) {
  const format = new Intl.DateTimeFormat(LOCALES[language], {
    dateStyle: 'medium',
    ...options,
    timeZone: 'UTC',
  })
  return (text: string): string => {
    const moment = new Date(`${text}Z`)
    return Number.isNaN(moment.getTime()) ? text : format.format(moment)
  }
}

export const PortalContext = createContext<PortalSession | undefined>(undefined)

export function usePortal(): PortalSession {
  const portal = useContext(PortalContext)
  if (!portal) throw new Error('usePortal is for views of the page of a customer')
  return portal
}

/** The labels of controls that the portal shares with the page of operators. */
export const portalUiLabels = (t: PortalLabels): UiLabels => ({
  required: t('required'),
  retry: t('retry'),
  copied: t('copied'),
  refused: t('failed'),
  copyOf: (what) => t('copyWhat', { what }),
  show: () => t('showPassword'),
  hide: () => t('hidePassword'),
  loading: () => t('loading'),
  refusal: (code) => refusalText(t, code),
  hasOwnDays: true,
})
