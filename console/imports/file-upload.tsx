import { useState } from 'preact/hooks'
import type { ImportedFileAnswer } from '#lib/api/console/answers/switches.ts'
import { countOf } from '#lib/base/text.ts'
import { packedFile, upload } from '../api/console-api.ts'
import { useUpload } from '../api/use-upload.ts'
import { RefusedLines } from '../fields/refused-lines.tsx'
import { RefusalNotice } from '../states/refusal-notice.tsx'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { FileField, LabelledField, SwitchField } from '../ui/field.tsx'
import { useToast } from '../ui/toast.tsx'

const FILES = [
  ['users', 'Customers and other accounts (users.csv)'],
  ['devices', 'Devices (devices.csv)'],
  ['dids', 'DIDs (dids.csv)'],
  ['services', 'Services (services.csv)'],
  ['subscriptions', 'Subscriptions (subscriptions.csv)'],
  ['tariffs', 'Tariffs (tariffs.csv)'],
  ['providers', 'Providers (providers.csv)'],
  ['currencies', 'Currencies (currencies.csv)'],
  ['device_rules', 'Rules of devices (device_rules.csv)'],
  ['locations', 'Locations (locations.csv)'],
  ['location_rules', 'Rules of locations (location_rules.csv)'],
].map(([value = '', label = '']) => ({ value, label }))

/** The kind of a file that is named after it, such as devices.csv. */
const kindOf = (file: File | undefined): string | undefined =>
  FILES.find(({ value }) => file?.name.toLowerCase().startsWith(`${value}.`))?.value

/** Imports a file of a dataset: what it changes first, then the import. */
export function FileUpload({ kind }: { readonly kind: string }) {
  const [name, setName] = useState(FILES.some(({ value }) => value === kind) ? kind : 'users')
  const [rename, setRename] = useState('0')
  const { file, found, ...action } = useUpload<ImportedFileAnswer>()
  const showToast = useToast()
  const send = (chosen: File, step: 'preview' | 'import', asked = { name, rename }) =>
    action.ask(async () => {
      const packed = await packedFile(chosen, `npx tollgate import ${asked.name}.csv`)
      const query = { step, rename: asked.rename === '1' ? 'yes' : '' }
      const answer = await upload(`/imports/${asked.name}`, packed, query)
      if (answer.isImported) showToast(`${chosen.name}: ${effectOf(answer)}.`)
      return answer
    })
  const look = (chosen: File | undefined, asked = { name, rename }) => {
    action.choose(chosen)
    setName(asked.name)
    setRename(asked.rename)
    return chosen && send(chosen, 'preview', asked)
  }
  const writes = found && !found.isImported ? found.new + found.changed : 0
  return (
    <Card title="Import a file">
      <LabelledField
        label="What it has"
        choices={FILES}
        blankChoice=""
        value={name}
        onInput={(value) => look(found?.isImported ? undefined : file, { name: value, rename })}
      />
      <FileField
        label="File"
        accept=".csv,.txt,.zip,.gz"
        hint="CSV with a header line, at most 1,000 rows: docs/datasets.md lists the columns. Columns that it lacks keep their values. Rates are imported on the page of their tariff."
        onChoose={(chosen) => look(chosen, { name: kindOf(chosen) ?? name, rename })}
      />
      <SwitchField
        label="Rows may give stored rows another name"
        value={rename}
        onInput={(value) => look(file, { name, rename: value })}
      />
      {action.problem && <RefusalNotice problem={action.problem} />}
      {action.isUnderWay && <p class="muted">The file is read …</p>}
      {file && found && (
        <>
          <p role="status">
            {found.isImported ? 'Imported: ' : 'This file has '}
            {`${countOf(found.rows, 'row')}: ${effectOf(found)}.`}
          </p>
          {found.remarks.map((line) => (
            <p key={line}>{line}</p>
          ))}
          <RefusedLines rows={found.refusedRows} />
          {writes > 0 ? (
            <div class="cluster">
              <Button kind="primary" isBusy={action.isUnderWay} onClick={() => send(file, 'import')}>
                {`Import ${countOf(writes, 'row')}`}
              </Button>
            </div>
          ) : (
            !found.isImported && <p>There is nothing to import.</p>
          )}
        </>
      )}
    </Card>
  )
}

const effectOf = ({ refused, ...found }: ImportedFileAnswer): string =>
  [
    `${found.new} new, ${found.changed} changed, ${found.unchanged} unchanged`,
    ...(refused > 0 ? [`${refused} refused and left out`] : []),
  ].join(', ')
