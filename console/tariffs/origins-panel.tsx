import { useState } from 'preact/hooks'
import type { OriginsPlanAnswer } from '#lib/api/console/answers/tariffs.ts'
import { EEA_TEMPLATE } from '#lib/rates/origins/eea-template.ts'
import { packedFile, upload } from '../api/console-api.ts'
import { useUpload } from '../api/use-upload.ts'
import { RefusalNotice } from '../states/refusal-notice.tsx'
import { Button } from '../ui/button.tsx'
import { FileField, SwitchField } from '../ui/field.tsx'
import { PlanPreview, RatesPanel, type RatesPanelProps } from './rate-plan.tsx'

/** The origins of callers from a file or the template of the EEA: a preview, then a version. */
export function OriginsPanel({ tariff, onClose, onDone }: RatesPanelProps) {
  const [isWhole, setWhole] = useState(false)
  const { file, found, isUnderWay, problem, ...lists } = useUpload<OriginsPlanAnswer>()
  const send = (chosen: File, whole: boolean, query: Readonly<Record<string, string>> = {}) =>
    lists.ask(async () => {
      const packed = await packedFile(chosen, 'npx tollgate import FOLDER')
      return upload(`/tariffs/${tariff.id}/origins`, packed, { mode: whole ? 'replace' : 'merge', ...query })
    })
  const choose = (chosen: File | undefined, whole = isWhole) => {
    lists.choose(chosen)
    setWhole(whole)
    return chosen && send(chosen, whole)
  }
  return (
    <RatesPanel title={`Origins of callers in ${tariff.name}`} {...{ found, onClose, onDone }}>
      <FileField
        label="Lists of callers"
        accept=".csv,.txt,.xlsx"
        hint="CSV or .xlsx with the columns Origin and Prefix: a name, and the first digits of callers."
        onChoose={(chosen) => choose(chosen)}
      />
      <Button onClick={() => choose(new File([EEA_TEMPLATE], 'eea.csv'))}>Use the template of the EEA</Button>
      <p class="muted">
        Compare the template with the deck: carriers differ about 39, 377, 47 and French overseas codes.
      </p>
      <SwitchField
        label="Remove origins that the file does not name"
        value={isWhole ? '1' : '0'}
        onInput={(value) => choose(file, value === '1')}
      />
      {problem && <RefusalNotice problem={problem} />}
      {!found && isUnderWay && <p class="muted">The file is read …</p>}
      {file && found && (
        <PlanPreview
          plan={found.plan}
          changesRates={false}
          isBusy={isUnderWay}
          onWrite={(agreed) => send(file, isWhole, { ...agreed, step: 'write' })}
        />
      )}
    </RatesPanel>
  )
}
