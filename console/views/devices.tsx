import { useMemo, useState } from 'preact/hooks'
import { askAs } from '../api/ask.ts'
import { useCustomers } from '../api/use-customers.ts'
import type { PartProps } from '../part.ts'
import { devicesOfCustomer } from '../place.ts'
import { Button } from '../ui/button.tsx'
import { CustomerField } from '../ui/customer-field.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { CustomerDevices } from './customer-devices.tsx'

/** The devices of one customer, which the address names. */
export function Devices({ place, catalogue, signer }: PartProps) {
  const ask = useMemo(() => askAs(catalogue, signer), [catalogue, signer])
  const customers = useCustomers(ask)
  const customer = place.values['customer'] ?? ''
  const [wanted, setWanted] = useState(customer)
  const [submissions, setSubmissions] = useState(0)
  const submit = (event: Event) => {
    event.preventDefault()
    setSubmissions(submissions + 1)
    location.hash = devicesOfCustomer(wanted.trim())
  }
  return (
    <div class="stack">
      <PageHeader title="Devices" text="What customers call with: telephones, trunks and faxes." />
      <form class="card card-body line-form" onSubmit={submit}>
        <CustomerField value={wanted} onInput={setWanted} customers={customers} />
        <Button submits>Show devices</Button>
      </form>
      {customer === '' ? (
        <EmptyState title="No customer chosen" text="Enter the id of an account to see its devices." />
      ) : (
        <CustomerDevices
          key={`${customer} ${submissions}`}
          ask={ask}
          customer={customer}
          customers={customers}
        />
      )}
    </div>
  )
}
