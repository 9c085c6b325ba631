import { useState } from 'preact/hooks'
import type { SessionAnswer } from '#lib/api/console/answers/installation.ts'
import type { SentValues } from '../api/catalogue.ts'
import { act } from '../api/console-api.ts'
import { ActionForm } from '../fields/action.tsx'
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

function ThemeChoice() {
  const [theme, setTheme] = useState<Theme>(themeInUse)
  const choose = (wanted: Theme) => {
    chooseTheme(wanted)
    setTheme(wanted)
  }
  return (
    <fieldset class="cluster" aria-label="Theme">
      {THEMES.map(([name, title]) => (
        <Button key={name} small isPressed={name === theme} onClick={() => choose(name)}>
          {title}
        </Button>
      ))}
    </fieldset>
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
  const showToast = useToast()
  const change = async (_once: string, values: SentValues) => {
    await act('PUT', '/session/password', values)
    showToast('The password is changed. Other sessions of this account have ended.')
    onClose()
  }
  return (
    <SidePanel title="Change the password" onClose={onClose}>
      <ActionForm text="Change the password" fields={PASSWORDS} run={change} />
    </SidePanel>
  )
}
