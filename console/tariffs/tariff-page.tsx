import { useState } from 'preact/hooks'
import type { TariffAnswer, TariffVersion } from '#lib/api/console/answers/tariffs.ts'
import { act } from '../api/console-api.ts'
import { useQuery } from '../api/use-query.ts'
import { BLANK, decimalsIn, formatCount, formatFixed } from '../base/format.ts'
import { navigate } from '../base/route.ts'
import type { SectionProps } from '../base/section.ts'
import { ActionForm, QuestionPanel } from '../fields/action.tsx'
import { PageLinks } from '../links/page-links.tsx'
import { RecordPanel } from '../records/record-panel.tsx'
import { EmptyList } from '../states/empty-list.tsx'
import { lazySection } from '../states/lazy.tsx'
import { Loaded } from '../states/loaded.tsx'
import { Table } from '../tables/table.tsx'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { useToast } from '../ui/toast.tsx'
import { callersOf, hoursInWords, stepsOf } from './hours.ts'
import { RatePanel } from './rate-panel.tsx'
import { VersionChanges } from './version-changes.tsx'

/** The panels that make a version of all rates, by their names in the address. */
const RATE_PANELS = [
  ['sheet', lazySection(() => import('./sheet-panel.tsx').then((module) => module.SheetPanel))],
  ['markup', lazySection(() => import('./markup-panel.tsx').then((module) => module.MarkupPanel))],
  ['origins', lazySection(() => import('./origins-panel.tsx').then((module) => module.OriginsPanel))],
] as const

/** The buttons of panels, by their name in the address. */
const OPENERS = [
  ['edit', 'pencil', 'Edit'],
  ['sheet', 'upload', 'Import a rate sheet'],
  ['markup', 'coins', 'From costs'],
  ['origins', 'upload', 'Origins'],
] as const

/** A tariff: its rates from a prefix on, its versions, and who switched them. */
export function TariffPage({ route, session }: Pick<SectionProps, 'route' | 'session'>) {
  const mayEdit = session.actions.includes('rollback')
  const { prefix = '', after = '' } = route.values
  const query = useQuery(`/tariffs/${encodeURIComponent(route.id)}`, { prefix, after })
  const close = (name: string) => () => navigate({ [name]: '' })
  const done = (name: string) => () => {
    navigate({ [name]: '' })
    query.again()
  }
  return (
    <div class="stack">
      {!query.value && <PageHeader title={`Tariff ${route.id}`} />}
      <Loaded query={query} what="the tariff" lines={10}>
        {(answer) => (
          <>
            <PageHeader
              title={answer.tariff.name}
              text={`${answer.tariff.purpose.replaceAll('_', ' ')} · ${answer.tariff.currency} · owner ${answer.tariff.owner.name}`}
            >
              {mayEdit &&
                OPENERS.map(([name, icon, text]) => (
                  <Button key={name} opens icon={icon} onClick={() => navigate({ [name]: 'yes' })}>
                    {text}
                  </Button>
                ))}
              {mayEdit && (
                <Button opens kind="primary" icon="plus" onClick={() => navigate({ price: 'new' })}>
                  Set a price
                </Button>
              )}
            </PageHeader>
            {RATE_PANELS.map(
              ([name, Panel]) =>
                route.values[name] && (
                  <Panel key={name} tariff={answer.tariff} onClose={close(name)} onDone={done(name)} />
                ),
            )}
            {route.values['price'] && (
              <RatePanel
                key={route.values['price']}
                tariff={answer.tariff}
                prefix={route.values['price'].replace('new', '')}
                from={route.values['starts'] ?? ''}
                isOfSuspended={route.values['retry'] !== undefined}
                today={session.today}
                onDone={query.again}
              />
            )}
            {route.values['edit'] && (
              <RecordPanel kind="tariffs" id={route.id} onClose={close('edit')} onDone={done('edit')} />
            )}
            <Rates {...{ answer, prefix, after, mayEdit }} />
            {answer.hasOrigins && <Origins key={answer.tariff.version} tariff={answer.tariff.id} />}
            <Versions answer={answer} compared={route.values['compare'] ?? ''} onChanged={query.again} />
          </>
        )}
      </Loaded>
    </div>
  )
}

const PREFIX = [{ name: 'prefix', label: 'Prefix', hint: 'The first digits of a number.' }]

interface RatesProps {
  readonly answer: TariffAnswer
  readonly prefix: string
  readonly after: string
  readonly mayEdit: boolean
}

function Rates({ answer: { tariff, rates, next }, prefix, after, mayEdit }: RatesProps) {
  const priced = rates.filter(({ isBlocked }) => !isBlocked)
  const decimals = {
    perMinute: decimalsIn(priced.map(({ perMinute }) => perMinute)),
    fee: decimalsIn(priced.map(({ fee }) => fee)),
  }
  return (
    <Card title={`Rates, ${formatCount(tariff.rates)}`}>
      <ActionForm
        isLine
        text="Show"
        kind="secondary"
        fields={PREFIX}
        initial={{ prefix }}
        run={async (_once, values) => navigate({ prefix: values['prefix']?.trim() ?? '', after: '' })}
      />
      <Table
        empty={
          <EmptyList
            title="No rates yet"
            text="Import a rate sheet, or set a price above."
            narrowedBy={{ prefix, after }}
          />
        }
        label="Rates"
        columns={[
          { title: 'Prefix', text: (rate) => rate.prefix },
          { title: 'Destination', text: ({ destination }) => destination },
          {
            title: 'Callers',
            text: callersOf,
            rank: 2,
          },
          {
            title: `A minute, ${tariff.currency}`,
            onPhone: 'first',
            number: ({ isBlocked, perMinute }) =>
              isBlocked ? 'blocked' : formatFixed(perMinute, decimals.perMinute),
          },
          {
            title: `Connection, ${tariff.currency}`,
            number: ({ isBlocked, fee }) => (isBlocked ? BLANK : formatFixed(fee, decimals.fee)),
          },
          { title: 'Billed in, s', text: (rate) => (rate.adds ? BLANK : stepsOf(rate)) },
          { title: 'Hours', text: ({ hours }) => hoursInWords(hours), rank: 3 },
          { title: 'Since', text: ({ since }) => since, rank: 3 },
        ]}
        rows={rates}
        {...(mayEdit && {
          actions: (rate: TariffAnswer['rates'][number]) => (
            <Button
              opens
              kind="quiet"
              small
              icon="pencil"
              label={`Set the price of ${rate.prefix}`}
              onClick={() => navigate({ price: rate.prefix })}
            />
          ),
        })}
      />
      <PageLinks after={after} next={next} />
    </Card>
  )
}

function Origins({ tariff }: { readonly tariff: number }) {
  const query = useQuery(`/tariffs/${tariff}/origins`)
  return (
    <Card title="Origins of callers">
      <Loaded query={query} what="the origins" lines={3}>
        {({ origins }) => (
          <Table
            label="Origins of callers"
            columns={[
              { title: 'Origin', text: ({ name }) => name },
              { title: 'Prefixes', number: ({ count }) => count },
              {
                title: 'First digits of callers',
                text: ({ count, prefixes }) => `${prefixes.join(' ')}${count > prefixes.length ? ' …' : ''}`,
              },
            ]}
            rows={origins}
          />
        )}
      </Loaded>
    </Card>
  )
}

interface VersionsProps {
  readonly answer: TariffAnswer
  /** The version that is compared with the active one; blank for none. */
  readonly compared: string
  readonly onChanged: () => void
}

function Versions({ answer, compared, onChanged }: VersionsProps) {
  const { tariff, versions, log, mayRollBack } = answer
  const [wanted, setWanted] = useState<TariffVersion>()
  const earlier = versions.find(({ version }) => String(version) === compared)
  const showToast = useToast()
  const activate = async () => {
    const version = wanted?.version
    await act('POST', `/tariffs/${tariff.id}/rollback`, { version })
    showToast(`Version ${version} of ${tariff.name} is active.`)
    onChanged()
  }
  return (
    <>
      <VersionTable {...{ versions, mayRollBack }} onChoose={setWanted} />
      {earlier && tariff.version !== null && (
        <VersionChanges
          tariff={tariff.id}
          from={earlier.version}
          to={tariff.version}
          onClose={() => navigate({ compare: '' })}
        />
      )}
      {log.length > 0 && (
        <Card title="Log">
          <Table
            label="Log of the versions"
            columns={[
              { title: 'Time', text: ({ at }) => at },
              { title: 'Who', text: ({ who }) => who },
              {
                title: 'Change',
                text: ({ from, to }) => (from === null ? `first version ${to}` : `version ${from} to ${to}`),
              },
            ]}
            rows={log}
          />
        </Card>
      )}
      {wanted && (
        <QuestionPanel
          title={`Activate version ${wanted.version}`}
          says={`Calls of ${tariff.name} are priced by version ${wanted.version} with ${formatCount(wanted.rates)} rates from now on. The version that is active now is kept, so you can go back. Suspended CDRs are not retried by this.`}
          kind="primary"
          run={activate}
          onClose={() => setWanted(undefined)}
        />
      )}
    </>
  )
}

interface VersionTableProps {
  readonly versions: TariffAnswer['versions']
  readonly mayRollBack: boolean
  readonly onChoose: (version: TariffVersion) => void
}

const VersionTable = ({ versions, mayRollBack, onChoose }: VersionTableProps) => (
  <Card title="Versions">
    <Table
      empty={<EmptyState title="No rates were imported yet" />}
      label="Versions"
      columns={[
        { title: 'Version', text: ({ version }) => String(version) },
        { title: 'Rates', number: ({ rates }) => rates },
        { title: 'Imported', text: ({ imported }) => imported },
        { title: 'State', state: ({ isActive }) => (isActive ? ['Active', 'good'] : ['Kept', 'neutral']) },
      ]}
      rows={versions}
      actions={(version) =>
        version.isActive ? null : (
          <div class="cluster">
            <Button opens small onClick={() => navigate({ compare: String(version.version) })}>
              Compare
            </Button>
            {mayRollBack && (
              <Button opens small onClick={() => onChoose(version)}>
                Activate …
              </Button>
            )}
          </div>
        )
      }
    />
  </Card>
)
