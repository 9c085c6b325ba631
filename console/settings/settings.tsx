import type { SettingRow, SettingsAnswer } from '#lib/api/console/answers/settings.ts'
import {
  LABELED_SETTINGS,
  OTHER_GROUP,
  SETTING_GROUPS,
  settingGroup,
  settingLabels,
} from '#lib/settings/setting-labels.ts'
import type { SentValues } from '../api/catalogue.ts'
import { act } from '../api/console-api.ts'
import { useQuery } from '../api/use-query.ts'
import { dash } from '../base/format.ts'
import { linkToRoute } from '../base/route.ts'
import type { SectionProps } from '../base/section.ts'
import { ActionForm } from '../fields/action.tsx'
import { OpenButton } from '../links/open-button.tsx'
import { Loaded } from '../states/loaded.tsx'
import { Table } from '../tables/table.tsx'
import { Badge } from '../ui/badge.tsx'
import { Card } from '../ui/card.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { SidePanel } from '../ui/side-panel.tsx'
import { useToast } from '../ui/toast.tsx'

const GROUPS = [...Object.keys(SETTING_GROUPS), OTHER_GROUP]

/** The last entry of the index: who has changed what. */
const LOG = 'Log'

/** One group at a time, under an address of its own. A setting in the address opens its group. */
export function SettingsSection({ route }: SectionProps) {
  const query = useQuery<SettingsAnswer>('/settings')
  const wanted = route.values['setting'] ?? ''
  const close = () => {
    location.hash = linkToRoute(['settings', settingGroup(wanted)])
  }
  return (
    <div class="stack">
      <PageHeader title="Settings" text="A change takes effect within a second." />
      <Loaded query={query} what="the settings" lines={10}>
        {({ settings, log }) => {
          const setting = settings.find(({ name }) => name === wanted)
          const groups = GROUPS.filter((group) => settings.some(({ name }) => settingGroup(name) === group))
          const named = [...groups, LOG].find((group) => group === route.id)
          const chosen = named ?? (setting ? settingGroup(setting.name) : (groups[0] ?? LOG))
          return (
            <>
              <div class="indexed">
                <nav aria-label="Groups of settings">
                  {[...groups, LOG].map((group) => (
                    <a
                      key={group}
                      href={linkToRoute(['settings', group])}
                      aria-current={group === chosen ? 'page' : undefined}
                    >
                      {group}
                    </a>
                  ))}
                </nav>
                {chosen === LOG ? (
                  <Log log={log} />
                ) : (
                  <Group
                    group={chosen}
                    settings={inOrder(settings.filter(({ name }) => settingGroup(name) === chosen))}
                  />
                )}
              </div>
              {setting && (
                <SettingPanel
                  key={setting.name}
                  setting={setting}
                  onClose={close}
                  onDone={() => {
                    close()
                    query.again()
                  }}
                />
              )}
            </>
          )
        }}
      </Loaded>
    </div>
  )
}

/** The order of the page is that of their words. */
function inOrder(settings: readonly SettingRow[]): readonly SettingRow[] {
  const placeOf = ({ name }: SettingRow) => LABELED_SETTINGS.indexOf(name)
  return [...settings].sort((one, other) => placeOf(one) - placeOf(other))
}

/** What each setting does and has. The name that programs and the terminal use is small. */
const Group = ({ group, settings }: { readonly group: string; readonly settings: readonly SettingRow[] }) => (
  <Card title={group}>
    <ul class="settings">
      {settings.map((setting) => (
        <li key={setting.name}>
          <div>
            <OpenButton text={settingLabels(setting.name)[0]} opens={{ setting: setting.name }} />{' '}
            <code class="muted">{setting.name}</code>
            <p class="muted">{settingLabels(setting.name)[1]}</p>
          </div>
          <ShownValue setting={setting} />
        </li>
      ))}
    </ul>
  </Card>
)

/** A value that somebody set stands out from a default. */
function ShownValue({ setting: { value, kind, default: byDefault } }: { readonly setting: SettingRow }) {
  if (kind === 'switch')
    return <Badge tone={isOn(value) ? 'good' : 'neutral'} text={isOn(value) ? 'on' : 'off'} />
  return <span class={value === byDefault ? 'muted' : ''}>{dash(value)}</span>
}

const isOn = (value: string): boolean => /^(1|yes|on|true)$/i.test(value)

const Log = ({ log }: Pick<SettingsAnswer, 'log'>) => (
  <Card title="Log">
    <Table
      empty={<EmptyState title="No changes yet" />}
      label="Log of changes"
      columns={[
        { title: 'Time', text: ({ at }) => at },
        { title: 'Who', text: ({ who }) => who },
        { title: 'Change', text: ({ change }) => change },
        { title: 'Before', text: ({ before }) => before },
        { title: 'After', text: ({ after }) => after },
      ]}
      rows={log}
    />
  </Card>
)

/** The words of settings that take no others. */
const CHOICES: Readonly<Record<string, readonly string[]>> = {
  Allocate_Payments: ['oldest', 'off'],
  Document_Paper: ['A4', 'Letter'],
  Invoice_Rows: ['destination', 'prefix', 'all'],
  Language: ['en', 'de', 'fr', 'es'],
  Rated_Number: ['dialled', 'carrier'],
}

/** A stored word for on or off stays possible. */
function controlFor({ name, value, kind, default: byDefault }: Omit<SettingRow, 'isSecret' | 'mayChange'>) {
  const words = kind === 'switch' ? ['on', 'off'] : CHOICES[name]
  if (words) return { choices: [...new Set([...words, value])], blankChoice: `default: ${byDefault}` }
  return kind === 'day' ? ({ type: 'date' } as const) : {}
}

interface SettingPanelProps {
  readonly setting: SettingRow
  readonly onClose: () => void
  readonly onDone: () => void
}

function SettingPanel({
  setting: { name, value, kind, isSecret, mayChange, ...setting },
  onClose,
  onDone,
}: SettingPanelProps) {
  const tell = useToast()
  const [title, says] = settingLabels(name)
  const save = async (_once: string, values: SentValues) => {
    const { warning } = await act<{ readonly warning: string | null }>('PUT', `/settings/${name}`, values)
    tell(warning ?? `${title} is set.`)
    onDone()
  }
  return (
    <SidePanel title={title} onClose={onClose}>
      <p>{says}</p>
      {!mayChange && <p class="muted">Only an admin sets it.</p>}
      {mayChange && (
        <ActionForm
          text="Save"
          initial={{ value: isSecret ? '' : value }}
          fields={[
            {
              name: 'value',
              label: 'Value',
              secret: isSecret,
              ...controlFor({ name, value, kind, default: setting.default }),
              hint: `By default ${setting.default === '' ? 'blank' : setting.default}. Programs and the terminal call it \`${name}\`.`,
            },
          ]}
          run={save}
        />
      )}
    </SidePanel>
  )
}
