import { useState } from 'preact/hooks'
import type { SettingRow, SettingsAnswer } from '#lib/api/console/answers/settings.ts'
import { act } from '../api/console-api.ts'
import { useReading } from '../api/use-reading.ts'
import { dash } from '../format.ts'
import { OpenButton } from '../links/open-button.tsx'
import type { PartProps } from '../part.ts'
import { goWith } from '../place.ts'
import { ActionForm } from '../states/action.tsx'
import { Loaded } from '../states/loaded.tsx'
import { Table, type TableColumn } from '../tables/table.tsx'
import { Card } from '../ui/card.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { LabelledField } from '../ui/field.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { SidePanel } from '../ui/side-panel.tsx'
import { useToast } from '../ui/toast.tsx'

/** The settings of the installation, and who changed what. */
export function SettingsPart({ place }: PartProps) {
  const reading = useReading<SettingsAnswer>('/settings')
  const wanted = place.values['setting'] ?? ''
  const close = () => goWith({ setting: '' })
  return (
    <div class="stack">
      <PageHeader title="Settings" text="A change takes effect within a second." />
      <Loaded reading={reading} what="the settings" lines={10}>
        {({ settings, log }) => {
          const setting = settings.find(({ name }) => name === wanted)
          return (
            <>
              <Card title="Settings">
                <Table label="Settings" columns={COLUMNS} rows={settings.map(rowOf)} />
              </Card>
              <Log log={log} />
              {setting && (
                <SettingPanel
                  key={setting.name}
                  setting={setting}
                  onClose={close}
                  onDone={() => {
                    close()
                    reading.again()
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

const COLUMNS: readonly TableColumn[] = [
  {
    key: 'name',
    title: 'Name',
    isNumber: false,
    show: ({ name = '' }) => <OpenButton text={name} opens={{ setting: name }} mono />,
  },
  { key: 'value', title: 'Value', isNumber: false },
  { key: 'kind', title: 'Takes', rank: 3 },
  { key: 'default', title: 'Default', isNumber: false, rank: 3 },
]

const rowOf = (setting: SettingRow) => ({
  name: setting.name,
  value: dash(setting.value),
  kind: setting.kind,
  default: dash(setting.default),
})

const Log = ({ log }: Pick<SettingsAnswer, 'log'>) => (
  <Card title="Log">
    <Table
      empty={<EmptyState title="Nothing was changed yet" />}
      label="Log of changes"
      columns={[
        { key: 'at', title: 'Time', isNumber: false },
        { key: 'who', title: 'Who' },
        { key: 'change', title: 'Change' },
        { key: 'before', title: 'Before', isNumber: false },
        { key: 'after', title: 'After', isNumber: false },
      ]}
      rows={log.map(({ at, who, change, before, after }) => ({
        at: at,
        who,
        change,
        before: dash(before),
        after: dash(after),
      }))}
    />
  </Card>
)

/** A stored word for on or off stays possible. */
const switchChoices = (value: string, byDefault: string) => ({
  choices: [...new Set(['on', 'off', value])],
  blankChoice: `default: ${byDefault}`,
})

interface SettingPanelProps {
  readonly setting: SettingRow
  readonly onClose: () => void
  readonly onDone: () => void
}

function SettingPanel({
  setting: { name, value, kind, isSecret, ...setting },
  onClose,
  onDone,
}: SettingPanelProps) {
  const tell = useToast()
  const [wanted, setWanted] = useState(isSecret ? '' : value)
  const save = async () => {
    const { warning } = await act<{ readonly warning: string | null }>('PUT', `/settings/${name}`, {
      value: wanted,
    })
    tell(warning ?? `${name} is set.`)
    onDone()
  }
  return (
    <SidePanel title={name} onClose={onClose}>
      <ActionForm text="Save" run={save}>
        <LabelledField
          label="Value"
          secret={isSecret}
          {...(kind === 'switch' && switchChoices(value, setting.default))}
          value={wanted}
          onInput={setWanted}
          hint={`Takes: ${kind}. By default ${setting.default === '' ? 'blank' : setting.default}.`}
        />
      </ActionForm>
    </SidePanel>
  )
}
