import { useQuery } from '../api/use-query.ts'
import { linkToRoute, navigate } from '../base/route.ts'
import type { SectionProps } from '../base/section.ts'
import { RecordPanel } from '../records/record-panel.tsx'
import { ListCard } from '../tables/list-card.tsx'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { PriceLookup } from './price-lookup.tsx'
import { TariffPage } from './tariff-page.tsx'

export const Tariffs = ({ route, session }: SectionProps) =>
  route.id === '' ? (
    <TariffList session={session} isAdding={route.values['add'] !== undefined} />
  ) : (
    <TariffPage key={route.id} {...{ route, session }} />
  )

interface TariffListProps extends Pick<SectionProps, 'session'> {
  readonly isAdding: boolean
}

function TariffList({ session, isAdding }: TariffListProps) {
  const query = useQuery('/tariffs')
  return (
    <div class="stack">
      <PageHeader title="Tariffs">
        {session.type !== 'accountant' && (
          <Button opens kind="primary" icon="plus" onClick={() => navigate({ add: 'yes' })}>
            Add a tariff
          </Button>
        )}
      </PageHeader>
      {isAdding && (
        <RecordPanel
          kind="tariffs"
          onClose={() => navigate({ add: '' })}
          onDone={(id = '') => {
            location.hash = linkToRoute(['tariffs', id])
          }}
        />
      )}
      <ListCard
        title="All tariffs"
        label="Tariffs"
        query={query}
        rows="tariffs"
        none="There are no tariffs yet"
        noneText="Add one, then import a rate sheet into it."
        columns={() => [
          {
            title: 'Name',
            text: ({ name }) => name,
            show: ({ id, name }) => <a href={linkToRoute(['tariffs', id])}>{name}</a>,
          },
          { title: 'Id', text: ({ id }) => String(id), rank: 3 },
          { title: 'Purpose', text: ({ purpose }) => purpose.replaceAll('_', ' ') },
          { title: 'Currency', text: ({ currency }) => currency },
          { title: 'Owner', text: ({ owner }) => owner.name, rank: 2 },
          { title: 'Rates', number: ({ rates }) => rates },
          { title: 'Imported', text: ({ imported }) => imported, rank: 3 },
        ]}
        {...(session.actions.includes('rollback') && {
          actions: ({ id }: { readonly id: number }) => (
            <a
              class="button quiet small"
              href={linkToRoute(['tariffs', id], { sheet: 'yes' })}
              aria-label={`Import a rate sheet into tariff ${id}`}
              title="Import a rate sheet"
            >
              <Icon name="upload" />
            </a>
          ),
        })}
      />
      <PriceLookup />
    </div>
  )
}
