import { useState } from 'preact/hooks'
import type { KeysAnswer } from '#lib/api/console/answers/installation.ts'
import { act } from '../api/console-api.ts'
import { useQuery } from '../api/use-query.ts'
import { dash } from '../base/format.ts'
import { QuestionPanel } from '../fields/action.tsx'
import type { TypedColumn } from '../tables/columns.tsx'
import { ListCard } from '../tables/list-card.tsx'
import { Menu } from '../ui/menu.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { useToast } from '../ui/toast.tsx'

type IntegrationKey = KeysAnswer['keys'][number]

/** The keys of integrations. The API answers with no secret: only the command that makes it shows it. */
export function KeysSection() {
  const query = useQuery('/keys')
  const [revoked, setRevoked] = useState<IntegrationKey>()
  const showToast = useToast()
  const revoke = async (name: string) => {
    await act('DELETE', `/keys/${encodeURIComponent(name)}`)
    showToast(`The key ${name} is revoked.`)
    query.again()
  }
  return (
    <div class="stack">
      <PageHeader
        title="Keys"
        text={
          <>
            A key of an integration signs for one account, and only for the methods and from the addresses
            that it names. <code>npx tollgate key add</code> and <code>key rotate</code> print its secret
            once.
          </>
        }
      />
      <ListCard
        title="Keys of integrations"
        query={query}
        rows="keys"
        none="No keys of integrations yet"
        noneText="Every program signs with the key of the installation. Give each its own: npx tollgate key add crm --as USERNAME --methods devices_get,rate_get."
        columns={() => COLUMNS}
        actions={(key) => (
          <Menu
            label={`Actions of the key ${key.name}`}
            items={[{ title: 'Revoke …', isDangerous: true, onChoose: () => setRevoked(key) }]}
          />
        )}
      />
      {revoked && (
        <QuestionPanel
          title={`Revoke the key ${revoked.name}`}
          says={`Requests of ${revoked.account.name} that are signed with it get “Incorrect hash” within a second. A revoked key does not come back: the program needs another one.`}
          text={`Revoke ${revoked.name}`}
          run={() => revoke(revoked.name)}
          onClose={() => setRevoked(undefined)}
        />
      )}
    </div>
  )
}

const rotationOf = ({ rotated, previousUntil }: IntegrationKey) =>
  dash(rotated) + (previousUntil === null ? '' : `; the one before signs until ${previousUntil}`)

const COLUMNS: readonly TypedColumn<IntegrationKey>[] = [
  { title: 'Name', text: ({ name }) => name },
  { title: 'Account', customer: ({ account }) => account },
  { title: 'Methods', text: ({ methods }) => methods.join(', ') },
  { title: 'Addresses', text: ({ from }) => from?.replaceAll(',', ', ') ?? 'any' },
  { title: 'Signature', text: ({ isV2Only }) => (isV2Only ? 'v2 only' : 'hash or v2') },
  { title: 'Added', text: ({ added }) => added },
  { title: 'Last rotation', text: rotationOf },
]
