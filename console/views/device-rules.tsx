import { useEffect } from 'preact/hooks'
import { type AnswerRow, answerRow } from '#lib/xml/answer-rows.ts'
import type { Ask } from '../api/ask.ts'
import { findAll } from '../api/xml.ts'
import { DeviceForm } from './device-form.tsx'
import { Message } from './message.tsx'
import { Table } from './table.tsx'
import { useAnswer } from './use-answer.ts'

const COLUMNS = ['id', 'name', 'pr_type', 'cut', 'add', 'minlen', 'maxlen', 'enabled']

/** Without rules the API refuses: here that is a list without any. */
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

/** What a device does to the numbers of its calls. */
export function DeviceRules({ ask, device }: { readonly ask: Ask; readonly device: string }) {
  const [{ value = [], problem }, put] = useAnswer<readonly AnswerRow[]>()
  const list = () => put(() => rulesOf(ask, device))
  useEffect(() => {
    list()
  }, [ask, device])
  const remove = (id: string) => () =>
    put(async () => {
      await ask('device_rule_delete', { device_rule_id: id })
      return rulesOf(ask, device)
    })
  return (
    <>
      {problem && <Message kind="error" text={problem} />}
      {value.length > 0 ? (
        <Table
          caption={`Rules of ${device}`}
          columns={COLUMNS}
          rows={value}
          actions={({ id = '', name }) => (
            <button type="button" class="danger" aria-label={`Delete rule ${name}`} onClick={remove(id)}>
              Delete
            </button>
          )}
        />
      ) : (
        <p>No rules.</p>
      )}
      <DeviceForm
        title="Add a rule"
        fields={['name', 'cut', 'add', 'minlen', 'maxlen']}
        onSend={async (sent) => {
          await ask('device_rule_create', { device_id: device, ...sent })
          await list()
        }}
      />
    </>
  )
}
