import type { CustomersAnswer } from '#lib/api/console/answers/customers.ts'
import type { SettingsAnswer } from '#lib/api/console/answers/installation.ts'
import type { TariffsAnswer } from '#lib/api/console/answers/tariffs.ts'
import { useQuery } from '../api/use-query.ts'
import { linkToRoute } from '../base/route.ts'
import { Card } from '../ui/card.tsx'
import { type CheckedThing, Checklist } from '../ui/checklist.tsx'
import { Skeleton } from '../ui/skeleton.tsx'

/** The steps of a new installation to its first call, each with its button. */
export function FirstSteps() {
  const settings = useQuery('/settings').value
  const customers = useQuery('/customers').value
  const tariffs = useQuery('/tariffs').value
  const steps = settings && customers && tariffs && stepsFor(settings, customers, tariffs)
  if (steps?.every(({ isDone }) => isDone)) return null
  return (
    <Card title="First steps">
      {/* As high as the steps: what comes later pushes nothing down. */}
      {steps ? <Checklist things={steps} /> : <Skeleton what="the first steps" lines={10} />}
    </Card>
  )
}

function stepsFor(
  { settings }: SettingsAnswer,
  { customers }: CustomersAnswer,
  { tariffs }: TariffsAnswer,
): readonly CheckedThing[] {
  const company = settings.find(({ name }) => name === 'Seller_Name')?.value ?? ''
  const served = customers.filter(({ type }) => type !== 'admin' && type !== 'accountant')
  const [first] = served
  return [
    {
      title: 'Your company',
      says: 'The name on invoices. Currency and time zone are next to it.',
      isDone: company !== '',
      button: 'Name it',
      href: linkToRoute(['settings'], { setting: 'Seller_Name' }),
    },
    {
      title: 'A tariff with prices',
      says: 'The prices of customers. Import a rate sheet into it.',
      isDone: tariffs.some(({ rates }) => rates > 0),
      button: 'Add a tariff',
      href: linkToRoute(['tariffs'], { add: 'yes' }),
    },
    {
      title: 'The first customer',
      says: 'With its tariff, and how it pays.',
      isDone: served.length > 0,
      button: 'Add a customer',
      href: linkToRoute(['customers'], { add: 'yes' }),
    },
    {
      title: 'Its telephone or trunk',
      says: 'A device by which calls of the customer are known.',
      isDone: served.some(({ devices }) => devices > 0),
      button: 'Add a device',
      href: first ? linkToRoute(['customers', first.id, 'devices']) : linkToRoute(['customers']),
    },
    {
      title: 'A switch that sends its CDRs',
      says: 'It gets a name and a secret. Its first call appears here.',
      isDone: false,
      button: 'Add a switch',
      href: linkToRoute(['switches'], { add: 'yes' }),
    },
  ]
}
