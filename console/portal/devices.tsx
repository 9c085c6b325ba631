import { useState } from 'preact/hooks'
import type { PortalDevice } from '#lib/api/console/answers/portal.ts'
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
import { type PortalSession, usePortal } from './portal-session.ts'
import { PortalPages } from './rows.tsx'

/** The settings with which telephones register. A secret is read when somebody asks for it. */
export function PortalDevices() {
  const { t } = usePortal()
  const query = usePages('/own/devices', {})
  return (
    <div class="stack">
      <PageHeader title={t('devices')} text={t('sipSettings')} />
      <PortalPages query={query} rowsOf={({ devices }) => devices} empty={t('noDevices')}>
        {(devices) => (
          <div class="portal-cards">
            {devices.map((device) => (
              <Device key={device.id} device={device} server={query.pages[0]?.server ?? ''} />
            ))}
          </div>
        )}
      </PortalPages>
    </div>
  )
}

function Device({ device, server }: { readonly device: PortalDevice; readonly server: string }) {
  const portal = usePortal()
  const { t } = portal
  return (
    <Card
      title={`${device.type} ${device.username}`}
      beside={device.isPrimary && <Badge tone="info" text={t('primary')} />}
    >
      <Facts facts={factsOf(portal, device, server)} />
    </Card>
  )
}

const factsOf = ({ t }: PortalSession, device: PortalDevice, server: string): Fact[] => [
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
  const { t } = usePortal()
  const [secret, setSecret] = useState<string>()
  const { run, problem } = useAction()
  const show = () => run(async () => setSecret((await read(`/own/devices/${id}/secret`)).secret))
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
