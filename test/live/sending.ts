import { setTimeout } from 'node:timers/promises'
import type { APIGatewayProxyResult } from 'aws-lambda'
import { inject } from 'vitest'
import type { Contract } from '#lib/api/method.ts'
import type { Request } from '#test/event.ts'
import { skipTest } from '#test/skip.ts'
import type { LiveInstallation } from './installation.ts'

declare module 'vitest' {
  interface ProvidedContext {
    live?: LiveInstallation
  }
}

/** `undefined` in `npm test`, where the functions run in the process of the tests. */
export const liveInstallation = (): LiveInstallation | undefined => inject('live')

const FORM = 'application/x-www-form-urlencoded'

/** Sends a test's request to the installation. */
export async function sendLive(
  { url, pauseMs }: LiveInstallation,
  { name }: Pick<Contract, 'name'>,
  { method = 'POST', path = `/api/${name}`, query = [], body, headers, address }: Request,
): Promise<APIGatewayProxyResult> {
  if (address !== undefined) skipTest('it chooses the address of the client')
  if (method === 'GET' && body !== undefined) skipTest('it sends a GET with a body')
  await setTimeout(pauseMs)
  const search =
    query.length > 0
      ? `?${new URLSearchParams(query.map(([one, value]): [string, string] => [one, value]))}`
      : ''
  const answer = await fetch(`${url}${path}${search}`, {
    method,
    headers: { ...(typeof body === 'string' && { 'Content-Type': FORM }), ...headers },
    ...(body !== undefined && { body }),
    redirect: 'manual',
  })
  return {
    statusCode: answer.status,
    headers: Object.fromEntries(answer.headers),
    body: await answer.text(),
    isBase64Encoded: false,
  }
}
