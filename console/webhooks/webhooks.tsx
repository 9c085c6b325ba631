import { useState } from 'preact/hooks'
import type { ChangedWebhookAnswer, WebhooksAnswer } from '#lib/api/console/answers/installation.ts'
import type { SentValues } from '../api/catalogue.ts'
import { act, RefusedRequest } from '../api/console-api.ts'
import { useAction } from '../api/use-action.ts'
import { useQuery } from '../api/use-query.ts'
import { ActionForm } from '../fields/action.tsx'
import { Loaded } from '../states/loaded.tsx'
import { RefusalNotice } from '../states/refusal-notice.tsx'
import type { TypedColumn } from '../tables/columns.tsx'
import { ListCard } from '../tables/list-card.tsx'
import { Table } from '../tables/table.tsx'
import { Badge, type Tone } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { TickBoxes } from '../ui/field.tsx'
import { Menu } from '../ui/menu.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { SidePanel } from '../ui/side-panel.tsx'
import { useToast } from '../ui/toast.tsx'

type WebhookVerb = 'test' | 'rotate' | 'enable' | 'disable' | 'remove'

/** The panel next to the list. A secret is shown once, when it is made. */
type Opened =
  | { readonly panel: 'add' }
  | { readonly panel: 'secret'; readonly id: string; readonly secret: string }
  | { readonly panel: 'deliveries'; readonly id: string }

export function WebhooksSection() {
  const query = useQuery('/webhooks')
  const action = useAction()
  const showToast = useToast()
  const [opened, setOpened] = useState<Opened>()
  const close = () => setOpened(undefined)
  const show = ({ id, secret }: ChangedWebhookAnswer) => {
    query.again()
    setOpened(secret === null ? undefined : { panel: 'secret', id, secret })
  }
  const change = (id: string, name: WebhookVerb, done: string) =>
    action.run(async () => {
      show(
        await (name === 'remove' ? act('DELETE', `/webhooks/${id}`) : act('POST', `/webhooks/${id}/${name}`)),
      )
      showToast(`${id}: ${done}`)
    })
  return (
    <div class="stack">
      <PageHeader
        title="Webhooks"
        text="Events are posted to these addresses, signed as Standard Webhooks ask for: low balances, payments, invoices."
      >
        <Button opens kind="primary" icon="plus" onClick={() => setOpened({ panel: 'add' })}>
          Add an endpoint
        </Button>
      </PageHeader>
      {action.problem && <RefusalNotice problem={action.problem} />}
      <ListCard
        title="Endpoints"
        query={query}
        rows="endpoints"
        none="No endpoints yet"
        noneText="Add the address of a program of yours, or of a service that sends mails."
        columns={columnsOf}
        actions={({ id, disabled }) => (
          <Menu
            label={`Actions of the endpoint ${id}`}
            items={[
              { title: 'Deliveries', onChoose: () => setOpened({ panel: 'deliveries', id }) },
              { title: 'Send a test event', onChoose: () => change(id, 'test', 'a test event is sent.') },
              { title: 'New secret', onChoose: () => change(id, 'rotate', 'both secrets sign for a day.') },
              disabled !== null
                ? { title: 'Enable', onChoose: () => change(id, 'enable', 'enabled.') }
                : { title: 'Disable', isDangerous: true, onChoose: () => change(id, 'disable', 'disabled.') },
              { title: 'Remove', isDangerous: true, onChoose: () => change(id, 'remove', 'removed.') },
            ]}
          />
        )}
      />
      {opened?.panel === 'add' && <AddPanel types={query.value?.types ?? []} onClose={close} onDone={show} />}
      {opened?.panel === 'secret' && <SecretPanel {...opened} onClose={close} />}
      {opened?.panel === 'deliveries' && <DeliveriesPanel id={opened.id} onClose={close} />}
    </div>
  )
}

const columnsOf = ({ types }: WebhooksAnswer): readonly TypedColumn<Endpoint>[] => [
  { title: 'Endpoint', text: ({ id }) => id },
  { title: 'Address', text: ({ url }) => url },
  {
    title: 'Events',
    text: ({ events }) => (events.length === types.length ? 'all' : events.join(', ')),
  },
  { title: 'Added', text: ({ added }) => added },
  { title: 'State', state: stateOf, show: (endpoint) => <State endpoint={endpoint} /> },
]

type Endpoint = WebhooksAnswer['endpoints'][number]

function stateOf({ disabled, isAsked, failingSince }: Endpoint): [string, Tone] {
  if (disabled !== null) return ['disabled', 'bad']
  if (isAsked) return ['waits for the echo of its challenge', 'warn']
  return failingSince === null ? ['enabled', 'good'] : ['failing', 'warn']
}

function State({ endpoint }: { readonly endpoint: Endpoint }) {
  const { disabled, disabledAt, failingSince } = endpoint
  const [text, tone] = stateOf(endpoint)
  const since = failingSince === null ? '' : `since ${failingSince}`
  return (
    <>
      <Badge tone={tone} text={text} />{' '}
      <small>{disabled === null ? since : `${disabledAt}: ${disabled}`}</small>
    </>
  )
}

const ADDRESS = [
  {
    name: 'url',
    label: 'Address',
    required: true,
    hint: 'An https address on port 443, such as https://example.com/hook. Where the stack sends mails: mailto:operator, mailto:customer.',
  },
]

interface AddPanelProps extends Pick<WebhooksAnswer, 'types'> {
  readonly onClose: () => void
  readonly onDone: (added: ChangedWebhookAnswer) => void
}

function AddPanel({ types, onClose, onDone }: AddPanelProps) {
  const [chosen, setChosen] = useState<readonly string[]>([])
  const add = async (idempotencyKey: string, values: SentValues) => {
    if (chosen.length === 0) throw new RefusedRequest('missing_value', 'Choose at least one event.')
    onDone(await act('POST', '/webhooks', { ...values, events: chosen.join(',') }, idempotencyKey))
  }
  return (
    <SidePanel title="Add an endpoint" onClose={onClose}>
      <ActionForm text="Add the endpoint" fields={ADDRESS} run={add}>
        <TickBoxes
          legend="Events"
          boxes={types.map(({ type, says }) => ({ name: type, says }))}
          chosen={chosen}
          onChange={setChosen}
        />
      </ActionForm>
    </SidePanel>
  )
}

interface SecretPanelProps {
  readonly id: string
  readonly secret: string
  readonly onClose: () => void
}

const SecretPanel = ({ id, secret, onClose }: SecretPanelProps) => (
  <SidePanel title={`The secret of ${id}`} onClose={onClose}>
    <p>Copy it now: it is not shown again. The receiver checks the signature of each event with it.</p>
    <p class="cluster">
      <code>{secret}</code> <CopyButton text={secret} what="the secret" />
    </p>
  </SidePanel>
)

function DeliveriesPanel({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const query = useQuery(`/webhooks/${id}/deliveries`)
  const showToast = useToast()
  const action = useAction()
  const resend = (message: string) =>
    action.run(async () => {
      await act('POST', `/webhooks/${id}/resend`, { message })
      showToast(`${message} is sent again.`)
      query.again()
    })
  return (
    <SidePanel title={`Deliveries to ${id}`} onClose={onClose}>
      {action.problem && <RefusalNotice problem={action.problem} />}
      <Loaded query={query} what="the deliveries">
        {({ deliveries }) => (
          <Table
            empty={
              <EmptyState
                title="No events sent within 30 days"
                text="Send a test event from the menu of the endpoint."
              />
            }
            label="Deliveries"
            columns={[
              {
                title: 'Event, last try',
                text: ({ type, at }) => `${type} ${at}`,
                show: ({ type, at }) => (
                  <>
                    {type}
                    <br />
                    <small>{at}</small>
                  </>
                ),
              },
              {
                title: 'Result',
                text: ({ outcome, answer, milliseconds, tries }) =>
                  `${outcome}: ${answer}, ${milliseconds} ms, try ${tries}`,
              },
            ]}
            rows={deliveries}
            actions={({ message }) => (
              <Button small label={`Send again ${message}`} onClick={() => resend(message)}>
                Send again
              </Button>
            )}
          />
        )}
      </Loaded>
    </SidePanel>
  )
}
