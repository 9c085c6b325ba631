import { useState } from 'preact/hooks'
import type { SecondFactorAnswer } from '#lib/api/console/answers/installation.ts'
import type { SentValues } from '../api/catalogue.ts'
import { act } from '../api/console-api.ts'
import { useQuery } from '../api/use-query.ts'
import { ActionForm } from '../fields/action.tsx'
import { Loaded } from '../states/loaded.tsx'
import { Code, QrImage } from '../ui/code.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { Notice } from '../ui/notice.tsx'

import { SidePanel } from '../ui/side-panel.tsx'
import { useToast } from '../ui/toast.tsx'

const PATH = '/session/second-factor'

/** Switches the second factor of the account that is signed in on or off. */
export function SecondFactorPanel({ onClose }: { readonly onClose: () => void }) {
  const query = useQuery(PATH)
  const [recovery, setRecovery] = useState<readonly string[]>()
  return (
    <SidePanel title="Second factor" onClose={onClose}>
      {recovery ? (
        <RecoveryCodes codes={recovery} />
      ) : (
        <Loaded query={query} what="the second factor" lines={8}>
          {({ offered, recoveryCodes }) =>
            offered ? (
              <SwitchOn offered={offered} onDone={setRecovery} />
            ) : (
              <SwitchOff left={recoveryCodes ?? 0} onDone={onClose} />
            )
          }
        </Loaded>
      )}
    </SidePanel>
  )
}

const PASSWORD = {
  name: 'current',
  label: 'Current password',
  secret: true,
  required: true,
  autocomplete: 'current-password',
} as const

interface SwitchOnProps {
  readonly offered: NonNullable<SecondFactorAnswer['offered']>
  readonly onDone: (recovery: readonly string[]) => void
}

function SwitchOn({ offered: { secret, uri, code }, onDone }: SwitchOnProps) {
  const begin = async (_once: string, values: SentValues) =>
    onDone((await act('PUT', PATH, { ...values, secret })).recovery)
  return (
    <>
      <p>
        Read the code with an authenticator. From then on a sign-in asks for its six digits, and the other
        sessions of this account end.
      </p>
      <QrImage code={code} label="Code for the authenticator" />
      <p class="cluster">
        <a href={uri}>Open it on this device</a>, or type{' '}
        <code>{secret.replaceAll(/.{4}(?=.)/g, '$& ')}</code>
        <CopyButton text={secret} what="the secret" />
      </p>
      <ActionForm text="Switch it on" fields={[PASSWORD, CODE]} run={begin} />
    </>
  )
}

const CODE = {
  name: 'code',
  label: 'Code of the authenticator',
  required: true,
  inputMode: 'numeric',
  autocomplete: 'one-time-code',
} as const

const RecoveryCodes = ({ codes }: { readonly codes: readonly string[] }) => (
  <>
    <Notice tone="good" title="The second factor is on.">
      Keep these recovery codes: they are shown this once. Each signs you in once without the authenticator.
    </Notice>
    <Code>{codes.join('\n')}</Code>
    <CopyButton text={codes.join('\n')} what="the recovery codes" />
  </>
)

function SwitchOff({ left, onDone }: { readonly left: number; readonly onDone: () => void }) {
  const showToast = useToast()
  const end = async (_once: string, values: SentValues) => {
    await act('POST', `${PATH}/off`, values)
    showToast('The second factor is off.')
    onDone()
  }
  const { inputMode: _, ...code } = { ...CODE, label: 'Code of the authenticator, or a recovery code' }
  return (
    <>
      <p>{`It is on, with ${left} recovery codes left. For new ones, switch it off and on again.`}</p>
      <ActionForm kind="danger" text="Switch it off" fields={[PASSWORD, code]} run={end} />
    </>
  )
}
