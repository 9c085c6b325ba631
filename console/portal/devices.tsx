import { useState } from 'preact/hooks'
import type { OwnDevice, OwnDevicesAnswer } from '#lib/api/console/answers/portal.ts'
import { read } from '../api/console-api.ts'
import { useAction } from '../api/use-action.ts'
import { usePages } from '../api/use-pages.ts'
import { RefusalNotice } from '../states/refusal-notice.tsx'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { type Fact, Facts } from '../ui/facts.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { type Own, useOwn } from './portal-session.ts'
import { OwnPages } from './rows.tsx'

/** The settings with which telephones register. A secret is read when somebody asks for it. */
export function OwnDevices() {
  const { t } = useOwn()
  const query = usePages<OwnDevicesAnswer>('/own/devices', {})
  return (
    <div class="stack">
      <PageHeader title={t('devices')} text={t('sipSettings')} />
      <OwnPages query={query} rowsOf={({ devices }) => devices} empty={t('noDevices')}>
        {(devices) => (
          <div class="own-cards">
            {devices.map((device) => (
              <Device key={device.id} device={device} server={query.pages[0]?.server ?? ''} />
            ))}
          </div>
        )}
      </OwnPages>
    </div>
  )
}

function Device({ device, server }: { readonly device: OwnDevice; readonly server: string }) {
  const own = useOwn()
  const { t } = own
  return (
    <Card
      title={`${device.type} ${device.username}`}
      beside={device.isPrimary && <Badge tone="info" text={t('primary')} />}
    >
      <Facts facts={factsOf(own, device, server)} />
    </Card>
  )
}

const factsOf = ({ t }: Own, device: OwnDevice, server: string): Fact[] => [
  [t('server'), server ? <Copied text={server} what={t('server')} /> : t('askServer')],
  ...(device.port > 0 ? ([[t('port'), String(device.port)]] as const) : []),
  [t('username'), <Copied key="name" text={device.username} what={t('username')} />],
  ...(device.address === null ? [] : ([[t('address'), device.address]] as const)),
  ...(device.hasSecret ? ([[t('secret'), <Secret key="secret" id={device.id} />]] as const) : []),
]

const Copied = ({ text, what }: { readonly text: string; readonly what: string }) => (
  <span class="cluster">
    <code>{text}</code>
    <CopyButton text={text} what={what} />
  </span>
)

/** The secret leaves the page when it is hidden. */
function Secret({ id }: { readonly id: number }) {
  const { t } = useOwn()
  const [secret, setSecret] = useState<string>()
  const { run, problem } = useAction()
  const show = () =>
    run(async () => setSecret((await read<{ readonly secret: string }>(`/own/devices/${id}/secret`)).secret))
  return (
    <span class="cluster">
      {secret === undefined ? <span aria-hidden="true">••••••••</span> : <code>{secret}</code>}
      <Button
        small
        kind="quiet"
        icon={secret === undefined ? 'shown' : 'hidden'}
        onClick={secret === undefined ? show : () => setSecret(undefined)}
      >
        {t(secret === undefined ? 'show' : 'hide')}
      </Button>
      {secret !== undefined && <CopyButton text={secret} what={t('secret')} />}
      {problem && <RefusalNotice problem={problem} />}
    </span>
  )
}
