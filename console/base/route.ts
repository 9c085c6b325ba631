import { useEffect, useState } from 'preact/hooks'
import type { SentValues } from '../api/catalogue.ts'
import { withoutSecrets } from '../api/secrets.ts'
import { focusMain } from './focus.ts'

/** The part after the address's #, which browsers send to no server. */
export interface PageRoute {
  readonly section: string
  /** The method of the explorer, or the id of a thing. */
  readonly id: string
  readonly tab: string
  readonly values: SentValues
}

/** A part of an address; one that is not encoded right is returned as it is. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

function routeIn(hash: string): PageRoute {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?')
  const [section = '', id = '', tab = ''] = path.split('/').map(decoded)
  return { section, id, tab, values: Object.fromEntries(new URLSearchParams(query)) }
}

export function linkTo(method: string, values: SentValues): string {
  const query = new URLSearchParams(withoutSecrets(values)).toString()
  return `#/explorer/${method}${query ? `?${query}` : ''}`
}

/** The names in an address that say which days are looked at. Links keep them from section to section. */
const RANGE = ['range', 'from', 'till']

/** The address of a route, with the days that are looked at now. */
export function linkToRoute(path: readonly (string | number)[], values: SentValues = {}): string {
  const days = Object.entries(routeIn(location.hash).values).filter(([name]) => RANGE.includes(name))
  const wanted = Object.entries({ ...Object.fromEntries(days), ...values }).filter(
    ([, value]) => value !== '',
  )
  const query = new URLSearchParams(wanted).toString()
  return `#/${path.map((part) => encodeURIComponent(part)).join('/')}${query ? `?${query}` : ''}`
}

/** The same route with other values; a blank value leaves the address. */
export function navigate(values: SentValues): void {
  const { section, id, tab, values: before } = routeIn(location.hash)
  const path = [section, id, tab].filter((part) => part !== '')
  location.hash = linkToRoute(path, { ...before, ...values })
}

const pageIn = (url: string): string => {
  const { section, id } = routeIn(url.replace(/^[^#]*/, ''))
  return `${section}/${id}`
}

const isInView = (element: Element | null): boolean => element?.closest('main')?.isConnected === true

/** Another page has the focus itself, so that the Tab key leads into it and not along the navigation. */
export function useRoute(): PageRoute {
  const [route, setRoute] = useState(() => routeIn(location.hash))
  useEffect(() => {
    const look = ({ oldURL }: HashChangeEvent) => {
      const had = document.activeElement
      setRoute(routeIn(location.hash))
      if (pageIn(oldURL) !== pageIn(location.hash)) setTimeout(() => isInView(had) || focusMain())
    }
    addEventListener('hashchange', look)
    return () => removeEventListener('hashchange', look)
  }, [])
  return route
}
