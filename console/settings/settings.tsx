import { useEffect, useRef, useState } from 'preact/hooks'
import type { SettingRow, SettingsAnswer } from '#lib/api/console/answers/installation.ts'
import type { SentValues } from '../api/catalogue.ts'
import { act, read } from '../api/console-api.ts'
import { useQuery } from '../api/use-query.ts'
import { linkToRoute } from '../base/route.ts'
import type { SectionProps } from '../base/section.ts'
import { ActionForm } from '../fields/action.tsx'
import { DeclaredForm } from '../records/record-form.tsx'
import { Loaded } from '../states/loaded.tsx'
import { Table } from '../tables/table.tsx'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { FileField } from '../ui/field.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { useToast } from '../ui/toast.tsx'
import { PrintedPage } from './printed-page.tsx'

/** Logo, colour and footer of the own documents, and of the page of the customers. */
function BrandForm({ onInput }: { readonly onInput: (values: SentValues) => void }) {
  const showToast = useToast()
  const query = useQuery('/own/brand')
  const [logo, setLogo] = useState<string>()
  return (
    <Loaded query={query} what="the brand" lines={4}>
      {(brand) => {
        const shown = logo ?? brand.logo
        return (
          <Card title="Brand">
            <ActionForm
              text="Save the brand"
              label="Brand"
              initial={{ colour: brand.colour, footer: brand.footer }}
              fields={[
                { name: 'colour', label: 'Colour', hint: 'Such as #0a7d5a. Blank: that of Tollgate.' },
                {
                  name: 'footer',
                  label: 'Footer of documents',
                  rows: 3,
                  hint: 'Details that the law wants of a seller: register, directors, interest on late payments.',
                },
              ]}
              onChange={onInput}
              run={async (_once, values) => {
                await act('PUT', '/brand', logo === undefined ? values : { ...values, logo })
                showToast('The brand is saved.')
                query.again()
                onInput({})
              }}
            >
              <FileField
                label="Logo"
                accept="image/png,image/jpeg"
                hint="A PNG or JPEG of at most 100 KB."
                onChoose={async (file) => setLogo(file && (await dataAddress(file)))}
              />
              {shown !== '' && (
                <div class="cluster">
                  <img class="logo" src={shown} alt="Logo" />
                  <Button small onClick={() => setLogo('')}>
                    Remove the logo
                  </Button>
                </div>
              )}
            </ActionForm>
          </Card>
        )
      }}
    </Loaded>
  )
}

const dataAddress = (file: File): Promise<string> =>
  new Promise((done) => {
    const reader = new FileReader()
    reader.onload = () => done(String(reader.result))
    reader.readAsDataURL(file)
  })

/** After the last key, a page is asked for. */
const PAUSE_MS = 400

/** An invoice as it would look with the values of the forms, saved or not. */
function SampleInvoice({ values }: { readonly values: SentValues }) {
  const [page, setPage] = useState('')
  // An address has no blank values: a space says that one was emptied.
  const wanted = JSON.stringify(values, (_name, value) => (value === '' ? ' ' : value))
  useEffect(() => {
    const timer = setTimeout(
      () =>
        read('/document-files/sample', JSON.parse(wanted))
          .then((answer) => setPage(answer.page))
          .catch(() => undefined),
      page === '' ? 0 : PAUSE_MS,
    )
    return () => clearTimeout(timer)
  }, [wanted])
  return <PrintedPage title="An invoice as it would look" page={page} />
}

/** The last entry of the index: who has changed what. */
const LOG = 'Log'

/** The group whose documents are shown next to it. */
const COMPANY = 'Company and brand'

/** One group at a time, under an address of its own. A setting in the address opens its group. */
export function SettingsSection({ route, session }: SectionProps) {
  // A reseller or partner has its own company alone.
  const path = session.actions.includes('settings') ? '/settings' : '/own/details'
  const query = useQuery(path)
  return (
    <div class="stack">
      <PageHeader title="Settings" text="A change takes effect within a second." />
      <Loaded query={query} what="the settings" lines={10}>
        {({ settings, log }) => {
          const wanted = settings.find(({ name }) => name === route.values['setting'])
          const groups = [...new Set(settings.map(({ group }) => group)), ...(log.length > 0 ? [LOG] : [])]
          const chosen = groups.find((group) => group === route.id) ?? wanted?.group ?? groups[0] ?? LOG
          return (
            <div class="indexed">
              <nav aria-label="Groups of settings">
                {groups.map((group) => (
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
                  key={chosen}
                  {...{ path, group: chosen, wanted }}
                  hasBrand={chosen === COMPANY && session.type !== 'accountant'}
                  settings={settings.filter(({ group }) => group === chosen)}
                  onDone={query.again}
                />
              )}
            </div>
          )
        }}
      </Loaded>
    </div>
  )
}

interface GroupProps {
  readonly path: '/settings' | '/own/details'
  readonly group: string
  readonly settings: readonly SettingRow[]
  /** The setting that a link has named. */
  readonly wanted: SettingRow | undefined
  readonly hasBrand: boolean
  readonly onDone: () => void
}

/** One form saves the whole group, or nothing of it. */
function Group({ path, group, settings, wanted, hasBrand, onDone }: GroupProps) {
  const showToast = useToast()
  const [shown, setShown] = useState<SentValues>({})
  const show = (values: SentValues) => setShown((before) => ({ ...before, ...values }))
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const labels = [...(place.current?.querySelectorAll('label') ?? [])]
    const label = labels.find(({ textContent }) => textContent === wanted?.label)
    label?.control?.scrollIntoView({ block: 'center' })
    label?.control?.focus()
  }, [wanted?.name])
  const open = settings.filter(({ mayChange }) => mayChange)
  const closed = settings.filter(({ mayChange }) => !mayChange)
  const save = async (sent: SentValues) => {
    const { warning } = await act('PUT', path, sent)
    showToast(warning ?? `${group}: saved.`)
    onDone()
    // A link of this page named the setting: what it was needed for goes on.
    if (wanted && navigation.canGoBack) history.back()
  }
  return (
    <div ref={place} class={hasBrand ? 'beside' : 'stack'}>
      <div class="stack">
        <Card title={group}>
          <DeclaredForm
            kind="settings"
            label={group}
            fields={path === '/settings' ? open.map(withHint) : open}
            stored={Object.fromEntries(
              open.map(({ name, value, isSecret }) => [name, isSecret ? '' : value]),
            )}
            text={() => 'Save'}
            onInput={show}
            send={save}
          />
          {closed.length > 0 && <p class="muted">Only an admin sets: {closed.map(withValue).join(', ')}.</p>}
        </Card>
        {hasBrand && <BrandForm onInput={show} />}
      </div>
      {hasBrand && <SampleInvoice values={shown} />}
    </div>
  )
}

const withValue = ({ label, value, isSecret }: SettingRow): string =>
  value === '' || isSecret ? label : `${label} (${value})`

/** The default of the setting, and the name that programs and the terminal use. */
function withHint({ name, says, default: byDefault, ...field }: SettingRow): SettingRow {
  const { isSecret, value, control } = field
  const known = isSecret && value !== '' ? 'It is set: blank leaves it as it is. ' : ''
  const usual =
    byDefault === '' || byDefault === value || control === 'switch' ? '' : `By default ${byDefault}. `
  return { ...field, name, default: byDefault, says: `${says ?? ''} ${known}${usual}\`${name}\`` }
}

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
