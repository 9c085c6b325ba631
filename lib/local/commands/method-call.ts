import type { Method } from '#lib/api/method.ts'
import { readSettings } from '#lib/domain/settings.ts'
import type { SentParameters } from '#lib/local/contracts/signed-call.ts'
import { chooseLocation } from '#lib/local/location.ts'
import { CommandError } from '#lib/local/terminal.ts'
import { findSettings } from '#lib/store/installation/settings.ts'
import type { Item } from '#lib/store/items.ts'
import type { TableLocation } from '#lib/store/table.ts'
import { openTable } from './open-table.ts'

/** `name=value` arguments as the parameters of a call. */
export const readParameters = (words: readonly string[]): SentParameters =>
  Object.fromEntries(
    words.map((word) => {
      const at = word.indexOf('=')
      if (at < 1) throw new CommandError(`"${word}" is not a parameter: write name=value.`)
      return [word.slice(0, at), word.slice(at + 1)]
    }),
  )

/** The given key, or by default that of the local installation. A public method needs no key. */
export async function findKey({ callers }: Method, given: string | undefined): Promise<string> {
  const key = given ?? process.env['TOLLGATE_KEY']
  if (key !== undefined || callers === 'public') return key ?? ''
  const settings = await settingsAt(chooseLocation({})).catch(() => {
    throw new CommandError('The secret key is unknown: pass --key, set TOLLGATE_KEY, or run npm start first.')
  })
  return readSettings(settings).API_Secret_Key
}

const settingsAt = async (location: TableLocation): Promise<Item> => findSettings(openTable(location))

/**
 * The URL of a method at an address with or without `http://` and `/api`. Another machine is called by https unless its
 * address says http. Throws CommandError for a malformed address.
 */
export function methodUrl(address: string, method: string): string {
  const isLocal = /^(localhost|127\.0\.0\.1|\[::1\])(?![\w.])/i.test(address)
  const url = /^https?:\/\//i.test(address) ? address : `${isLocal ? 'http' : 'https'}://${address}`
  if (!URL.canParse(url))
    throw new CommandError(`"${address}" is not a URL: write it as https://example.org.`)
  return `${url.replace(/\/+$/, '').replace(/\/api$/, '')}/api/${method}`
}

/** The place of the parameters in a request. */
export type BodyKind = 'form' | 'query' | 'json'

/** Sends a call. Throws CommandError if the API cannot be reached. */
export async function sendCall(url: string, params: SentParameters, as: BodyKind): Promise<Response> {
  const form = new URLSearchParams(params)
  const request =
    as === 'query'
      ? fetch(`${url}?${form}`)
      : fetch(url, {
          method: 'POST',
          ...(as === 'form'
            ? { body: form }
            : { body: JSON.stringify(params), headers: { 'Content-Type': 'application/json' } }),
        })
  return request.catch(() => {
    throw new CommandError(
      `Nothing answers at ${new URL(url).origin}: run npm start first, or name another address with --url.`,
    )
  })
}
