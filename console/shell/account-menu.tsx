import { useState } from 'preact/hooks'
import type { SessionAnswer } from '#lib/api/console/answers/installation.ts'
import type { PortalLanguageAnswer } from '#lib/api/console/answers/portal.ts'
import { CUSTOMER_LANGUAGES, type CustomerLanguage } from '#lib/base/language/language.ts'
import type { SentValues } from '../api/catalogue.ts'
import { act, type RefusedRequest } from '../api/console-api.ts'
import { useQuery } from '../api/use-query.ts'
import { ActionForm } from '../fields/action.tsx'
import { LANGUAGE_NAMES } from '../portal/texts.ts'
import { lazySection } from '../states/lazy.tsx'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { Popup } from '../ui/popup.tsx'
import { SidePanel } from '../ui/side-panel.tsx'
import { useToast } from '../ui/toast.tsx'
import { chooseTheme, THEMES, type Theme, themeInUse } from './theme.ts'

interface AccountMenuProps {
  readonly session: SessionAnswer
  readonly onSignOut: () => void
}

export function AccountMenu({ session, onSignOut }: AccountMenuProps) {
  const [panel, setPanel] = useState<'password' | 'second factor'>()
  return (
    <div class="signer">
      <Popup
        kind="quiet"
        label={`Account of ${session.name}`}
        dialog="Account"
        shown={
          <>
            <Icon name="person" />
            <span class="name">{session.name}</span>
          </>
        }
      >
        {(close) => (
          <div class="account-menu">
            <p>
              <strong>{session.name}</strong>
              <span class="muted">{`${session.username} · ${session.type}`}</span>
              <span class="muted">{`${location.host} · times of ${session.zone}`}</span>
            </p>
            <ThemeChoice />
            {['reseller', 'partner'].includes(session.type) && <LanguageChoice />}
            {session.id >= 0 &&
              PANELS.map(([name, text]) => (
                <button
                  key={name}
                  type="button"
                  onClick={() => {
                    close()
                    setPanel(name)
                  }}
                >
                  {text}
                </button>
              ))}
            <button type="button" onClick={onSignOut}>
              Sign out
            </button>
          </div>
        )}
      </Popup>
      {panel === 'password' && <PasswordPanel onClose={() => setPanel(undefined)} />}
      {panel === 'second factor' && <SecondFactorPanel onClose={() => setPanel(undefined)} />}
    </div>
  )
}

const PANELS = [
  ['password', 'Change the password …'],
  ['second factor', 'Second factor …'],
] as const

const SecondFactorPanel = lazySection(() =>
  import('./second-factor.tsx').then((module) => module.SecondFactorPanel),
)

interface ChoiceProps<T extends string> {
  readonly label: string
  readonly choices: readonly (readonly [value: T, title: string])[]
  readonly value: T | undefined
  readonly onChoose: (value: T) => void
}

const Choice = <T extends string>({ label, choices, value, onChoose }: ChoiceProps<T>) => (
  <fieldset class="cluster" aria-label={label}>
    {choices.map(([name, title]) => (
      <Button key={name} small isPressed={name === value} onClick={() => onChoose(name)}>
        {title}
      </Button>
    ))}
  </fieldset>
)

function ThemeChoice() {
  const [theme, setTheme] = useState<Theme>(themeInUse)
  const choose = (wanted: Theme) => {
    chooseTheme(wanted)
    setTheme(wanted)
  }
  return <Choice label="Theme" choices={THEMES} value={theme} onChoose={choose} />
}

const LANGUAGES = CUSTOMER_LANGUAGES.map((name) => [name, LANGUAGE_NAMES[name]] as const)

/** The console is in English. The documents for a reseller or partner are in the language of its account. */
function LanguageChoice() {
  const tell = useToast()
  const { value, again } = useQuery<PortalLanguageAnswer>('/own/language')
  const choose = (language: CustomerLanguage) =>
    act('PUT', '/own/language', { language }).then(again, ({ message }: RefusedRequest) => tell(message))
  const label = 'Language of your documents'
  return (
    <>
      <p class="muted">{label}</p>
      <Choice label={label} choices={LANGUAGES} value={value?.language} onChoose={choose} />
    </>
  )
}

const PASSWORDS = [
  {
    name: 'current',
    label: 'Current password',
    secret: true,
    required: true,
    autocomplete: 'current-password',
  },
  { name: 'wanted', label: 'New password', secret: true, required: true, autocomplete: 'new-password' },
] as const

function PasswordPanel({ onClose }: { readonly onClose: () => void }) {
  const tell = useToast()
  const change = async (_once: string, values: SentValues) => {
    await act('PUT', '/session/password', values)
    tell('The password is changed. Other sessions of this account have ended.')
    onClose()
  }
  return (
    <SidePanel title="Change the password" onClose={onClose}>
      <ActionForm text="Change the password" fields={PASSWORDS} run={change} />
    </SidePanel>
  )
}
