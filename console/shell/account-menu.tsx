import { useState } from 'preact/hooks'
import type { SessionAnswer } from '#lib/api/console/answers/session.ts'
import { act } from '../api/console-api.ts'
import { ActionForm } from '../states/action.tsx'
import { Button } from '../ui/button.tsx'
import { LabelledField } from '../ui/field.tsx'
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
  const [hasPanel, setPanel] = useState(false)
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
            {session.id >= 0 && (
              <button
                type="button"
                onClick={() => {
                  close()
                  setPanel(true)
                }}
              >
                Change the password …
              </button>
            )}
            <button type="button" onClick={onSignOut}>
              Sign out
            </button>
          </div>
        )}
      </Popup>
      {hasPanel && <PasswordPanel onClose={() => setPanel(false)} />}
    </div>
  )
}

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

function PasswordPanel({ onClose }: { readonly onClose: () => void }) {
  const tell = useToast()
  const [current, setCurrent] = useState('')
  const [wanted, setWanted] = useState('')
  const change = async () => {
    await act('PUT', '/session/password', { current, wanted })
    tell('The password is changed. Other sessions of this account have ended.')
    onClose()
  }
  return (
    <SidePanel title="Change the password" onClose={onClose}>
      <ActionForm text="Change the password" run={change}>
        <LabelledField
          label="Current password"
          secret
          required
          autocomplete="current-password"
          value={current}
          onInput={setCurrent}
        />
        <LabelledField
          label="New password"
          secret
          required
          autocomplete="new-password"
          value={wanted}
          onInput={setWanted}
        />
      </ActionForm>
    </SidePanel>
  )
}
