import { useState } from 'preact/hooks'
import { CUSTOMER_LANGUAGES, languageIn } from '#lib/base/language/language.ts'
import type { SentValues } from '../api/catalogue.ts'
import { act, type RefusedRequest, refusedField } from '../api/console-api.ts'
import { useAction } from '../api/use-action.ts'
import { useQuery } from '../api/use-query.ts'
import { BLANK } from '../base/format.ts'
import { ActionForm } from '../fields/action.tsx'
import type { FormField } from '../fields/form-fields.tsx'
import { Loaded } from '../states/loaded.tsx'
import { RefusalNotice } from '../states/refusal-notice.tsx'
import { Card } from '../ui/card.tsx'
import { Facts } from '../ui/facts.tsx'
import { LabelledField } from '../ui/field.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { useToast } from '../ui/toast.tsx'
import { type PortalAnswer, usePortal } from './portal-session.ts'
import { LANGUAGE_NAMES, portalLabels } from './texts.ts'

const isMailAddress = (text: string): boolean => /^[^@\s]+@[^@\s]+$/.test(text)

/** A customer's own details. Its seller sets company, VAT number and country: they decide VAT. */
export function PortalAccount() {
  const { t, session } = usePortal()
  const query = useQuery('/own/details')
  return (
    <div class="stack portal-narrow">
      <PageHeader title={t('account')} />
      <Card title={session.name}>
        <Facts facts={[[t('username'), session.username]]} />
        <LanguageChoice />
      </Card>
      <Loaded query={query}>
        {({ settings }) => {
          const stored = Object.fromEntries(settings.map(({ name, value }) => [name, value]))
          return (
            <>
              {stored['alert_at'] !== undefined && (
                <DetailsCard
                  title={t('lowBalance')}
                  stored={stored}
                  fields={[
                    {
                      name: 'alert_at',
                      label: t('alertAt'),
                      hint: t('alertHint', { email: stored['email'] || BLANK }),
                    },
                  ]}
                />
              )}
              <DetailsCard
                title={t('contact')}
                stored={stored}
                fields={[
                  { name: 'address', label: t('street') },
                  { name: 'postcode', label: t('postcode') },
                  { name: 'city', label: t('city') },
                  { name: 'phone', label: t('phone'), type: 'tel' },
                  { name: 'mob_phone', label: t('mobile'), type: 'tel' },
                  {
                    name: 'electronic_address',
                    label: t('electronicAddress'),
                    hint: t('electronicAddressHint'),
                  },
                ]}
              />
              <DetailsCard
                title={t('email')}
                stored={stored}
                fields={[
                  { name: 'email', label: t('email'), hint: t('emailHint') },
                  { name: 'password', label: t('currentPassword'), ...PRESENT_PASSWORD },
                ]}
              />
            </>
          )
        }}
      </Loaded>
      <PasswordCard />
      <SecondFactorCard />
    </div>
  )
}

const PRESENT_PASSWORD = { secret: true, required: true, autocomplete: 'current-password' } as const

interface DetailsCardProps {
  readonly title: string
  readonly stored: SentValues
  readonly fields: readonly FormField[]
}

/** Some of the own details, saved together. The hint of a field names its problem. */
function DetailsCard({ title, stored, fields }: DetailsCardProps) {
  const { t } = usePortal()
  const showToast = useToast()
  const save = async (_once: string, values: SentValues) => {
    const { email } = values
    if (email && !isMailAddress(email.trim())) throw refusedField('email', t('emailWrong'))
    const sent = Object.fromEntries(fields.map(({ name }) => [name, values[name] ?? '']))
    await act('PUT', '/own/details', sent).catch((problem: RefusedRequest) => {
      if (problem.code === 'wrong_credentials') throw refusedField('password', t('wrongPassword'))
      const wrong = fields.find(({ name }) => problem.fields.some((one) => one.name === name))
      throw wrong
        ? refusedField(wrong.name, wrong.name === 'email' ? t('emailWrong') : (wrong.hint ?? t('failed')))
        : problem
    })
    showToast(t('saved'))
  }
  return (
    <Card title={title}>
      <ActionForm
        label={title}
        text={t('save')}
        kind="secondary"
        initial={stored}
        fields={fields}
        run={save}
      />
    </Card>
  )
}

function LanguageChoice() {
  const { t, page, setLanguage } = usePortal()
  const showToast = useToast()
  const { run, problem } = useAction()
  const choose = (chosen: string) =>
    run(async () => {
      const language = languageIn(chosen) ?? page.language
      await act('PUT', '/own/details', { language })
      setLanguage(language)
      showToast(portalLabels(language)('saved'))
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

function PasswordCard() {
  const { t, page } = usePortal()
  const showToast = useToast()
  const [changes, setChanges] = useState(0)
  const rule = t(page.isStrongPassword ? 'strongRule' : 'passwordRule', { least: String(page.leastPassword) })
  const shared = { secret: true, required: true, autocomplete: 'new-password' } as const
  const change = async (_once: string, { current = '', wanted = '', again }: SentValues) => {
    if (!isFit(wanted, page)) throw refusedField('wanted', rule)
    if (again !== wanted) throw refusedField('again', t('passwordsDiffer'))
    await act('PUT', '/session/password', { current, wanted }).catch((problem: RefusedRequest) => {
      throw problem.code === 'wrong_credentials' ? refusedField('current', t('wrongPassword')) : problem
    })
    setChanges(changes + 1)
    showToast(t('passwordChanged'))
  }
  return (
    <Card title={t('changePassword')}>
      <ActionForm
        key={changes}
        label={t('changePassword')}
        text={t('changePassword')}
        fields={[
          { ...PRESENT_PASSWORD, name: 'current', label: t('currentPassword') },
          { ...shared, name: 'wanted', label: t('newPassword'), hint: rule },
          { ...shared, name: 'again', label: t('repeatPassword') },
        ]}
        run={change}
      />
    </Card>
  )
}

/** An account that has become a plain user has the second factor that it switched on before. */
function SecondFactorCard() {
  const { t } = usePortal()
  const showToast = useToast()
  const query = useQuery('/session/second-factor')
  if ((query.value?.recoveryCodes ?? null) === null) return null
  const end = async (_once: string, values: SentValues) => {
    await act('POST', '/session/second-factor/off', values).catch((problem: RefusedRequest) => {
      throw ['wrong_credentials', 'code_needed'].includes(problem.code)
        ? refusedField('code', t('wrongCode'))
        : problem
    })
    showToast(t('secondFactorOff'))
    query.again()
  }
  return (
    <Card title={t('secondFactor')}>
      <ActionForm
        label={t('secondFactor')}
        text={t('switchOff')}
        kind="danger"
        fields={[
          { ...PRESENT_PASSWORD, name: 'current', label: t('currentPassword') },
          { name: 'code', label: t('code'), required: true, autocomplete: 'one-time-code' },
        ]}
        run={end}
      />
    </Card>
  )
}

const STRONG = /^(?=.*\d)(?=.*\p{Lu})(?=.*\p{Ll})/su

const isFit = (password: string, { leastPassword, isStrongPassword }: PortalAnswer): boolean =>
  password.length >= leastPassword && (!isStrongPassword || STRONG.test(password))
