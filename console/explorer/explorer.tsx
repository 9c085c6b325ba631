import { useState } from 'preact/hooks'
import { findMethod } from '../api/catalogue.ts'
import type { Signing } from '../developers/signing.ts'
import type { Place } from '../place.ts'
import { EmptyState } from '../ui/empty-state.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { Exchange } from './exchange.tsx'
import type { MadeCall } from './history.tsx'
import { MethodList } from './method-list.tsx'

const FIRST = 'devices_get'

/** Every method: the list at the left, the request in the middle, the answer at the right or below. */
export function Explorer({ place, catalogue, signer, zone }: Signing & { readonly place: Place }) {
  const [history, setHistory] = useState<readonly MadeCall[]>([])
  const wanted = place.tab === 'explorer' ? place.method : ''
  const method = findMethod(catalogue, wanted || FIRST)
  return (
    <div class="explorer">
      <MethodList catalogue={catalogue} chosen={method?.name ?? ''} />
      {method ? (
        <Exchange
          key={`${method.name} ${JSON.stringify(place.values)}`}
          method={method}
          signer={signer}
          zone={zone}
          given={place.values}
          history={history}
          onCalled={(made) => setHistory([made, ...history])}
        />
      ) : (
        <div>
          <PageHeader title="Explorer" />
          <EmptyState title={`There is no method ${wanted}.`} text="Choose one of the list." />
        </div>
      )}
    </div>
  )
}
