import { useEffect, useState } from 'preact/hooks'
import type { Ask } from './ask.ts'
import { listCustomers, type NamedCustomer } from './customers.ts'

/** The customers by name, once they are known. */
export function useCustomers(ask: Ask): readonly NamedCustomer[] {
  const [customers, setCustomers] = useState<readonly NamedCustomer[]>([])
  useEffect(() => {
    listCustomers(ask).then(setCustomers, () => {})
  }, [ask])
  return customers
}
