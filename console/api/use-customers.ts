import { useEffect, useState } from 'preact/hooks'
import type { Ask } from './ask.ts'
import { type Customer, listCustomers } from './customers.ts'

/** The customers by name, once they are known. */
export function useCustomers(ask: Ask): readonly Customer[] {
  const [customers, setCustomers] = useState<readonly Customer[]>([])
  useEffect(() => {
    listCustomers(ask).then(setCustomers, () => {})
  }, [ask])
  return customers
}
