import type { DescribedMethod, SentValues } from './catalogue.ts'
import { signed } from './signing.ts'

export interface Signer {
  readonly username: string
  readonly key: string
}

/** The signed API: its methods, and the account and key that sign. */
export interface Signing {
  readonly catalogue: readonly DescribedMethod[]
  readonly signer: Signer
  readonly zone: string
}

export interface Answer {
  readonly status: number
  readonly milliseconds: number
  readonly bytes: number
  readonly text: string
}

/** The address of a method is relative to the page, so it works below a stage path and at a custom domain. */
export const urlOf = (name: string): string =>
  new URL(`api/${name}`, document.baseURI).href.split(/[?#]/, 1)[0] ?? ''

export async function call(method: DescribedMethod, sent: SentValues, key: string): Promise<Answer> {
  const params = await signed(method, sent, key)
  const started = performance.now()
  const response = await fetch(urlOf(method.name), { method: 'POST', body: new URLSearchParams(params) })
  const text = await response.text()
  return {
    status: response.status,
    milliseconds: Math.round(performance.now() - started),
    bytes: new TextEncoder().encode(text).length,
    text,
  }
}
