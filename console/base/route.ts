import { useEffect, useState } from 'preact/hooks'
import type { SentValues } from '../api/catalogue.ts'
import { withoutSecrets } from '../api/secrets.ts'
import { focusMain } from './focus.ts'

/** The current place: the part after the address's #, which browsers send to no server. */
export interface Place {
  readonly tab: string
  /** The method of the explorer, or the id of a thing. */
  readonly method: string
  readonly section: string
  readonly values: SentValues
}

/** A part of an address; one that is not encoded right stands for itself. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

function placeIn(hash: string): Place {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?')
  const [tab = '', method = '', section = ''] = path.split('/').map(decoded)
  return { tab, method, section, values: Object.fromEntries(new URLSearchParams(query)) }
}

export function linkTo(method: string, values: SentValues): string {
  const query = new URLSearchParams(withoutSecrets(values)).toString()
  return `#/explorer/${method}${query ? `?${query}` : ''}`
}

/** The names in an address that say which days are looked at. They go along from part to part. */
const RANGE = ['range', 'from', 'till']

/** The address of a place, with the days that are looked at now. */
export function linkToPlace(path: readonly (string | number)[], values: SentValues = {}): string {
  const days = Object.entries(placeIn(location.hash).values).filter(([name]) => RANGE.includes(name))
  const wanted = Object.entries({ ...Object.fromEntries(days), ...values }).filter(
    ([, value]) => value !== '',
  )
  const query = new URLSearchParams(wanted).toString()
  return `#/${path.map((part) => encodeURIComponent(part)).join('/')}${query ? `?${query}` : ''}`
}

/** The same place with other values; a blank value leaves the address. */
export function goWith(values: SentValues): void {
  const { tab, method, section, values: before } = placeIn(location.hash)
  const path = [tab, method, section].filter((part) => part !== '')
  location.hash = linkToPlace(path, { ...before, ...values })
}

const pageIn = (url: string): string => {
  const { tab, method } = placeIn(url.replace(/^[^#]*/, ''))
  return `${tab}/${method}`
}

const isInView = (element: Element | null): boolean => element?.closest('main')?.isConnected === true

/** Another page has the focus itself, so that the Tab key leads into it and not along the navigation. */
export function usePlace(): Place {
  const [place, setPlace] = useState(() => placeIn(location.hash))
  useEffect(() => {
    const look = ({ oldURL }: HashChangeEvent) => {
      const had = document.activeElement
      setPlace(placeIn(location.hash))
      if (pageIn(oldURL) !== pageIn(location.hash)) setTimeout(() => isInView(had) || focusMain())
    }
    addEventListener('hashchange', look)
    return () => removeEventListener('hashchange', look)
  }, [])
  return place
}
