import type { Method } from '#lib/api/method.ts'
import { readSettings } from '#lib/domain/settings.ts'
import type { SentParameters } from '#lib/local/contracts/signed-call.ts'
import { chooseLocation } from '#lib/local/location.ts'
import { CommandError } from '#lib/local/terminal.ts'
import { findSettings } from '#lib/store/installation/settings.ts'
import type { Item } from '#lib/store/items.ts'
import type { TableLocation } from '#lib/store/table.ts'
import { openTable } from './aws-account.ts'

/** `name=value` arguments as the parameters of a call. */
export const readParameters = (words: readonly string[]): SentParameters =>
  Object.fromEntries(
    words.map((word) => {
      const at = word.indexOf('=')
      if (at < 1) throw new CommandError(`${word} is not a parameter: write name=value.`)
      return [word.slice(0, at), word.slice(at + 1)]
    }),
  )

/** The key that was given, else that of the local installation; a public method needs none. */
export async function findKey({ callers }: Method, given: string | undefined): Promise<string> {
  const key = given ?? process.env['TOLLGATE_KEY']
  if (key !== undefined || callers === 'public') return key ?? ''
  const settings = await settingsAt(chooseLocation({})).catch(() => {
    throw new CommandError(
      'The secret key is not known: name it with --key or TOLLGATE_KEY, or run npm start first.',
    )
  })
  return readSettings(settings).API_Secret_Key
}

const settingsAt = async (location: TableLocation): Promise<Item> => findSettings(openTable(location))

/**
 * Where a method is, from what somebody calls the API's address: with `http://` or without, with `/api` or without.
 * Another machine is asked by https unless its address says http. Throws a CommandError for what is not an address.
 */
export function methodUrl(address: string, method: string): string {
  const isLocal = /^(localhost|127\.0\.0\.1|\[::1\])(?![\w.])/i.test(address)
  const url = /^https?:\/\//i.test(address) ? address : `${isLocal ? 'http' : 'https'}://${address}`
  if (!URL.canParse(url)) throw new CommandError(`${address} is not a URL.`)
  return `${url.replace(/\/+$/, '').replace(/\/api$/, '')}/api/${method}`
}

export interface Sending {
  readonly url: string
  readonly params: SentParameters
  readonly as: 'form' | 'query' | 'json'
}

/** Sends the call; what cannot be reached is told in one sentence. */
export async function send({ url, params, as }: Sending): Promise<Response> {
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
      `Nothing answers at ${new URL(url).origin}: run npm start first, or name another place with --url.`,
    )
  })
}
