import { useEffect, useState } from 'preact/hooks'
import type { Values } from './api/catalogue.ts'
import { withoutSecrets } from './api/secrets.ts'

/** The current place in the console: the part behind the # of the address, which browsers send to no server. */
export interface Place {
  readonly tab: string
  /** The method of the explorer. */
  readonly method: string
  readonly values: Values
}

function placeIn(hash: string): Place {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?')
  const [tab = '', method = ''] = path.split('/')
  return { tab: tab || 'explorer', method, values: Object.fromEntries(new URLSearchParams(query)) }
}

/** The address of a call, without its secrets. */
export function linkTo(method: string, values: Values): string {
  const query = new URLSearchParams(withoutSecrets(values)).toString()
  return `#/explorer/${method}${query ? `?${query}` : ''}`
}

/** The address of a customer's devices. */
export const devicesOfCustomer = (id: string): string => `#/devices?${new URLSearchParams({ customer: id })}`

export function usePlace(): Place {
  const [place, setPlace] = useState(() => placeIn(location.hash))
  useEffect(() => {
    const look = () => setPlace(placeIn(location.hash))
    addEventListener('hashchange', look)
    return () => removeEventListener('hashchange', look)
  }, [])
  return place
}
