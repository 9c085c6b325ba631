import { useEffect, useState } from 'preact/hooks'
import { type AnswerRow, answerRow } from '#lib/xml/answer-rows.ts'
import type { Ask } from '../api/ask.ts'
import { useAnswer } from '../api/use-answer.ts'
import { findAll } from '../api/xml.ts'
import { Table } from '../tables/table.tsx'
import { Button } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Notice } from '../ui/notice.tsx'
import { ProblemNotice } from '../ui/problem-notice.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { type FormField, SendForm } from './send-form.tsx'

const COLUMNS = [
  { key: 'name', title: 'Name' },
  { key: 'pr_type', title: 'Number' },
  { key: 'cut', title: 'Cut', isNumber: false },
  { key: 'add', title: 'Add', isNumber: false },
  { key: 'minlen', title: 'Min' },
  { key: 'maxlen', title: 'Max' },
]

const FIELDS: readonly FormField[] = [
  { name: 'name', label: 'Rule name', isRequired: true },
  { name: 'cut', label: 'Cut', hint: 'Digits to remove from the front.' },
  { name: 'add', label: 'Add', hint: 'Digits to put in front.' },
  { name: 'minlen', label: 'Fewest digits' },
  { name: 'maxlen', label: 'Most digits' },
]

/** The API refuses where there are no rules: here that is an empty list. */
async function rulesOf(ask: Ask, device: string): Promise<readonly AnswerRow[]> {
  try {
    return findAll(await ask('device_rules_get', { device_id: device }), 'device_rule').map((rule) =>
      answerRow(rule),
    )
  } catch (error) {
    if ((error as Error).message === 'Device has no rules') return []
    throw error
  }
}

/** The rules that change the numbers of a device's calls. */
export function DeviceRules({ ask, device }: { readonly ask: Ask; readonly device: string }) {
  const [{ value, problem }, put] = useAnswer<readonly AnswerRow[]>()
  const list = () => put(() => rulesOf(ask, device))
  useEffect(() => {
    list()
  }, [ask, device])
  const [doomed, setDoomed] = useState<AnswerRow>()
  const remove = (id = '') => {
    setDoomed(undefined)
    return put(async () => {
      await ask('device_rule_delete', { device_rule_id: id })
      return rulesOf(ask, device)
    })
  }
  return (
    <>
      {problem && <ProblemNotice text={problem} />}
      {!value && !problem && <Skeleton what="the rules" />}
      {value?.length === 0 && <EmptyState title="No rules" text="Numbers are dialled as they are." />}
      {value && value.length > 0 && (
        <Table
          label="Rules"
          columns={COLUMNS}
          rows={value}
          actions={(rule) => (
            <Button
              kind="quiet"
              small
              icon="close"
              label={`Delete rule ${rule['name']} …`}
              onClick={() => setDoomed(rule)}
            />
          )}
        />
      )}
      {doomed && (
        <Notice tone="warn" title={`Rule ${doomed['name']} is deleted for good.`}>
          <span class="cluster">
            <Button kind="danger" onClick={() => remove(doomed['id'])}>
              Delete rule {doomed['name']}
            </Button>
            <Button onClick={() => setDoomed(undefined)}>Keep it</Button>
          </span>
        </Notice>
      )}
      <h3>Add a rule</h3>
      <SendForm
        fields={FIELDS}
        action="Add the rule"
        onSend={async (sent) => {
          await ask('device_rule_create', { device_id: device, ...sent })
          await list()
        }}
      />
    </>
  )
}
