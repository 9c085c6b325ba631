import type { TariffsAnswer } from '#lib/api/console/answers/tariffs.ts'
import { useReading } from '../api/use-reading.ts'
import { dash, formatCount } from '../format.ts'
import type { PartProps } from '../part.ts'
import { linkToPlace } from '../place.ts'
import { Loaded } from '../states/loaded.tsx'
import { Table, type TableColumn } from '../tables/table.tsx'
import { Card } from '../ui/card.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { PriceLookup } from './price-lookup.tsx'
import { TariffPage } from './tariff-page.tsx'

/** The list of tariffs, or one of them. */
export const Tariffs = ({ place }: PartProps) =>
  place.method === '' ? <TariffList /> : <TariffPage key={place.method} place={place} />

const COLUMNS: readonly TableColumn[] = [
  {
    key: 'name',
    title: 'Name',
    isNumber: false,
    show: ({ id = '', name }) => <a href={linkToPlace(['tariffs', id])}>{name}</a>,
  },
  { key: 'id', title: 'Id', isNumber: false, rank: 3 },
  { key: 'purpose', title: 'Purpose' },
  { key: 'currency', title: 'Currency' },
  { key: 'owner', title: 'Owner', rank: 2 },
  { key: 'rates', title: 'Rates' },
  { key: 'imported', title: 'Imported', isNumber: false, rank: 3 },
]

function TariffList() {
  const reading = useReading<TariffsAnswer>('/tariffs')
  return (
    <div class="stack">
      <PageHeader title="Tariffs" />
      <Card title="All tariffs">
        <Loaded reading={reading} what="the tariffs">
          {({ tariffs }) => (
            <Table
              empty={
                <EmptyState
                  title="There are no tariffs yet"
                  text="Import tariffs.csv and rates.csv with: npx tollgate import"
                />
              }
              label="Tariffs"
              columns={COLUMNS}
              rows={tariffs.map(({ id, name, purpose, currency, owner, rates, imported }) => ({
                id: String(id),
                name,
                purpose: purpose.replaceAll('_', ' '),
                currency,
                owner: owner.name,
                rates: formatCount(rates),
                imported: dash(imported),
              }))}
            />
          )}
        </Loaded>
      </Card>
      <PriceLookup />
    </div>
  )
}
