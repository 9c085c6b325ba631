import { useState } from 'preact/hooks'
import type { OwnDevice, OwnDevicesAnswer } from '#lib/api/console/answers/own-page.ts'
import { type Refusal, read } from '../api/console-api.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { type Fact, Facts } from '../ui/facts.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { OwnCopy } from './fields.tsx'
import { type Own, useOwn } from './own.ts'
import { OwnProblem, usePages, Waiting } from './rows.tsx'
import { refusalText } from './texts.ts'

const rowsOf = ({ devices }: OwnDevicesAnswer) => devices

/** The settings with which telephones register. A secret is read when somebody asks for it. */
export function OwnDevices() {
  const { t } = useOwn()
  const { rows, answer, problem, isUnderWay, more } = usePages<OwnDevice, OwnDevicesAnswer>(
    '/own/devices',
    {},
    rowsOf,
  )
  return (
    <div class="stack">
      <PageHeader title={t('devices')} text={t('sipSettings')} />
      {isUnderWay && <Waiting />}
      {answer && rows.length === 0 && !more && <EmptyState title={t('noDevices')} />}
      <div class="own-cards">
        {rows.map((device) => (
          <Device key={device.id} device={device} server={answer?.server ?? ''} />
        ))}
      </div>
      {problem && <OwnProblem problem={problem} />}
      {more && <Button onClick={more}>{t(problem ? 'retry' : 'more')}</Button>}
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
    <OwnCopy text={text} what={what} />
  </span>
)

/** The secret leaves the page when it is hidden. */
function Secret({ id }: { readonly id: number }) {
  const { t } = useOwn()
  const [secret, setSecret] = useState<string>()
  const [problem, setProblem] = useState('')
  const show = () => {
    setProblem('')
    return read<{ readonly secret: string }>(`/own/devices/${id}/secret`).then(
      (answer) => setSecret(answer.secret),
      ({ code }: Refusal) => setProblem(refusalText(t, code)),
    )
  }
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
      {secret !== undefined && <OwnCopy text={secret} what={t('secret')} />}
      {problem && (
        <span class="wrong" role="alert">
          {problem}
        </span>
      )}
    </span>
  )
}
