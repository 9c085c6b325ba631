import { useMemo } from 'preact/hooks'
import { askAs } from '../api/ask.ts'
import type { PartProps } from '../part.ts'
import { PageHeader } from '../ui/page-header.tsx'
import { NumberRate } from './number-rate.tsx'
import { TariffRates } from './tariff-rates.tsx'

/** Looks up the price of a number for an account, and shows whole tariffs. */
export function Rates({ catalogue, signer }: PartProps) {
  const ask = useMemo(() => askAs(catalogue, signer), [catalogue, signer])
  return (
    <div class="stack">
      <PageHeader title="Rates" text="What calls cost: of one number, or of a whole tariff." />
      <NumberRate ask={ask} username={signer.username} />
      <TariffRates ask={ask} />
    </div>
  )
}
