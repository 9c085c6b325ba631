import { useState } from 'preact/hooks'
import { CUSTOMER_LANGUAGES, languageIn } from '#lib/base/language/language.ts'
import { act, type Refusal } from '../api/console-api.ts'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { Facts } from '../ui/facts.tsx'
import { Notice } from '../ui/notice.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { useToast } from '../ui/toast.tsx'
import { OwnChoice, OwnField, OwnForm } from './fields.tsx'
import { type OwnPage, useOwn } from './own.ts'
import { LANGUAGE_NAMES, portalWords, refusalText } from './texts.ts'

/** Name, language and password. */
export function OwnAccount() {
  const { t, session } = useOwn()
  return (
    <div class="stack own-narrow">
      <PageHeader title={t('account')} />
      <Card title={session.name}>
        <Facts facts={[[t('username'), session.username]]} />
        <LanguageChoice />
      </Card>
      <PasswordCard />
    </div>
  )
}

function LanguageChoice() {
  const { t, page, setLanguage } = useOwn()
  const tell = useToast()
  const choose = (chosen: string) => {
    const language = languageIn(chosen) ?? page.language
    return act('PUT', '/own/language', { language }).then(
      () => {
        setLanguage(language)
        tell(portalWords(language)('saved'))
      },
      ({ code }: Refusal) => tell(refusalText(t, code)),
    )
  }
  return (
    <OwnChoice
      label={t('language')}
      hint={t('languageHint')}
      value={page.language}
      choices={CUSTOMER_LANGUAGES.map((language) => [language, LANGUAGE_NAMES[language]])}
      onChange={choose}
    />
  )
}

const BLANK = { current: '', wanted: '', again: '' }

function PasswordCard() {
  const { t, page } = useOwn()
  const tell = useToast()
  const [typed, setTyped] = useState(BLANK)
  const [problem, setProblem] = useState('')
  const [isTried, setTried] = useState(false)
  const type = (name: keyof typeof BLANK) => (value: string) => setTyped({ ...typed, [name]: value })
  const rule = t(page.isStrongPassword ? 'strongRule' : 'passwordRule', { least: String(page.leastPassword) })
  const [isUnfit, isOther] = [!isFit(typed.wanted, page), typed.again !== typed.wanted]
  const change = async () => {
    setTried(true)
    setProblem('')
    if (isUnfit || isOther) return
    const { current, wanted } = typed
    await act('PUT', '/session/password', { current, wanted }).then(
      () => {
        setTyped(BLANK)
        setTried(false)
        tell(t('passwordChanged'))
      },
      ({ code }: Refusal) =>
        setProblem(code === 'wrong_credentials' ? t('wrongPassword') : refusalText(t, code)),
    )
  }
  return (
    <Card title={t('changePassword')}>
      <OwnForm label={t('changePassword')} onSubmit={change}>
        <PasswordField name="current" {...{ typed, type }} />
        <PasswordField
          name="wanted"
          hint={rule}
          wrong={isTried && isUnfit ? rule : undefined}
          {...{ typed, type }}
        />
        <PasswordField
          name="again"
          wrong={isTried && isOther ? t('passwordsDiffer') : undefined}
          {...{ typed, type }}
        />
        {problem && <Notice tone="bad" title={problem} />}
        <Button kind="primary" submits>
          {t('changePassword')}
        </Button>
      </OwnForm>
    </Card>
  )
}

interface PasswordFieldProps {
  readonly name: keyof typeof BLANK
  readonly typed: typeof BLANK
  readonly type: (name: keyof typeof BLANK) => (value: string) => void
  readonly hint?: string
  readonly wrong?: string | undefined
}

const LABELS = { current: 'currentPassword', wanted: 'newPassword', again: 'repeatPassword' } as const

const PasswordField = ({ name, typed, type, ...rest }: PasswordFieldProps) => (
  <OwnField
    {...rest}
    label={useOwn().t(LABELS[name])}
    type="password"
    required
    autocomplete={name === 'current' ? 'current-password' : 'new-password'}
    value={typed[name]}
    onInput={type(name)}
  />
)

const STRONG = /^(?=.*\d)(?=.*\p{Lu})(?=.*\p{Ll})/su

const isFit = (password: string, { leastPassword, isStrongPassword }: OwnPage): boolean =>
  password.length >= leastPassword && (!isStrongPassword || STRONG.test(password))
