import { useState } from 'preact/hooks'
import { CUSTOMER_LANGUAGES, languageIn } from '#lib/base/language/language.ts'
import type { SentValues } from '../api/catalogue.ts'
import { act, RefusedRequest } from '../api/console-api.ts'
import { useAction } from '../api/use-action.ts'
import { ActionForm } from '../fields/action.tsx'
import { RefusalNotice } from '../states/refusal-notice.tsx'
import { Card } from '../ui/card.tsx'
import { Facts } from '../ui/facts.tsx'
import { LabelledField } from '../ui/field.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { useToast } from '../ui/toast.tsx'
import { type PortalAnswer, usePortal } from './portal-session.ts'
import { LANGUAGE_NAMES, portalLabels } from './texts.ts'

/** Name, language and password. */
export function PortalAccount() {
  const { t, session } = usePortal()
  return (
    <div class="stack portal-narrow">
      <PageHeader title={t('account')} />
      <Card title={session.name}>
        <Facts facts={[[t('username'), session.username]]} />
        <LanguageChoice />
        <AddressForm />
      </Card>
      <PasswordCard />
    </div>
  )
}

function LanguageChoice() {
  const { t, page, setLanguage } = usePortal()
  const tell = useToast()
  const { run, problem } = useAction()
  const choose = (chosen: string) =>
    run(async () => {
      const language = languageIn(chosen) ?? page.language
      await act('PUT', '/own/language', { language })
      setLanguage(language)
      tell(portalLabels(language)('saved'))
    })
  return (
    <>
      <LabelledField
        label={t('language')}
        hint={t('languageHint')}
        value={page.language}
        choices={CUSTOMER_LANGUAGES.map((value) => ({ value, label: LANGUAGE_NAMES[value] }))}
        blankChoice=""
        onInput={choose}
      />
      {problem && <RefusalNotice problem={problem} />}
    </>
  )
}

function AddressForm() {
  const { t, page } = usePortal()
  const tell = useToast()
  return (
    <ActionForm
      label={t('electronicAddress')}
      text={t('save')}
      kind="secondary"
      initial={{ address: page.electronicAddress }}
      fields={[{ name: 'address', label: t('electronicAddress'), hint: t('electronicAddressHint') }]}
      run={async (_once, { address = '' }) => {
        await act('PUT', '/own/electronic-address', { address: address.trim() }).catch(
          (problem: RefusedRequest) => {
            throw problem.code === 'invalid' ? refusalOf('address', t('electronicAddressHint')) : problem
          },
        )
        tell(t('saved'))
      }}
    />
  )
}

function PasswordCard() {
  const { t, page } = usePortal()
  const tell = useToast()
  const [changes, setChanges] = useState(0)
  const rule = t(page.isStrongPassword ? 'strongRule' : 'passwordRule', { least: String(page.leastPassword) })
  const shared = { secret: true, required: true, autocomplete: 'new-password' } as const
  const change = async (_once: string, { current = '', wanted = '', again }: SentValues) => {
    if (!isFit(wanted, page)) throw refusalOf('wanted', rule)
    if (again !== wanted) throw refusalOf('again', t('passwordsDiffer'))
    await act('PUT', '/session/password', { current, wanted }).catch((problem: RefusedRequest) => {
      throw problem.code === 'wrong_credentials' ? refusalOf('current', t('wrongPassword')) : problem
    })
    setChanges(changes + 1)
    tell(t('passwordChanged'))
  }
  return (
    <Card title={t('changePassword')}>
      <ActionForm
        key={changes}
        label={t('changePassword')}
        text={t('changePassword')}
        fields={[
          { ...shared, name: 'current', label: t('currentPassword'), autocomplete: 'current-password' },
          { ...shared, name: 'wanted', label: t('newPassword'), hint: rule },
          { ...shared, name: 'again', label: t('repeatPassword') },
        ]}
        run={change}
      />
    </Card>
  )
}

const refusalOf = (name: string, message: string) =>
  new RefusedRequest('invalid', message, [{ name, message }])

const STRONG = /^(?=.*\d)(?=.*\p{Lu})(?=.*\p{Ll})/su

const isFit = (password: string, { leastPassword, isStrongPassword }: PortalAnswer): boolean =>
  password.length >= leastPassword && (!isStrongPassword || STRONG.test(password))
