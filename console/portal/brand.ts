import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import type { BrandAnswer } from '#lib/api/console/answers/portal.ts'
import { read } from '../api/console-api.ts'
import { tokensOf } from './colour.ts'

/** Where a browser keeps the seller whose customer signed in last, so that its sign-in looks the same. */
const SELLER = 'tollgate-seller'

export const keepSeller = (seller: number): void => localStorage.setItem(SELLER, String(seller))

/** The seller that an address names, as `#/?seller=2`, or the last one. */
export const sellerHere = (): string =>
  new URLSearchParams(location.hash.split('?')[1] ?? '').get('seller') ?? localStorage.getItem(SELLER) ?? ''

/** The brand that customers see of a seller. It is `undefined` until it is known, or if it cannot be read. */
export function useBrand(seller: string | number): BrandAnswer | undefined {
  const kept = `${SELLER}-${seller}`
  const [brand, setBrand] = useState(() => keptBrand(kept))
  useEffect(() => {
    const keep = (answer: BrandAnswer) => {
      setBrand(answer)
      localStorage.setItem(kept, JSON.stringify(answer))
    }
    read('/brand', { seller })
      .then(keep)
      .catch(() => undefined)
  }, [seller])
  useLayoutEffect(() => (brand ? showBrand(brand) : undefined), [brand])
  return brand
}

/** The brand of the last visit: the page has its colour from the first moment on. */
const keptBrand = (name: string): BrandAnswer | undefined =>
  JSON.parse(localStorage.getItem(name) ?? 'null') ?? undefined

/** Gives the page the colour and the icon of a seller. Returns what takes them away again. */
function showBrand({ colour, logo }: BrandAnswer): () => void {
  const { style } = document.documentElement
  const tokens = colour === '' ? [] : Object.entries(tokensOf(colour))
  for (const [name, value] of tokens) style.setProperty(name, value)
  const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]')
  const before = icon?.href ?? ''
  if (icon && logo !== '') icon.href = logo
  return () => {
    for (const [name] of tokens) style.removeProperty(name)
    if (icon) icon.href = before
  }
}
