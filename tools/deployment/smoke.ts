import { SaxesParser } from 'saxes'
import { gateRefusals } from '#lib/api/errors.ts'
import { VERSION_HEADER } from '#lib/api/headers.ts'
import type { Contract } from '#lib/api/method.ts'
import { RELEASE } from '#lib/table/table-format.ts'
import { pathsOf } from '#tools/contracts/functions-config.ts'
import { type SentParameters, signedParameters } from '#tools/contracts/signed-call.ts'
import { v2Headers } from '#tools/contracts/signed-v2.ts'

/** A request to an installation, and the answer that it must give. */
export interface Probe {
  readonly name: string
  readonly path: string
  readonly verb: 'GET' | 'POST' | 'PUT'
  readonly params: SentParameters
  /** Signs the request with v2. */
  readonly v2Key?: string
  readonly status: number
  /** Throws an error that says what is wrong with the document. */
  readonly check: (document: string) => void
}

/**
 * Probes every path of a method without signature and caller. The refusal proves the route, the function and
 * its access to the table, and changes nothing under any settings.
 */
export const unsignedProbes = (method: Contract): Probe[] =>
  pathsOf(method).map((path) => ({
    name: path.replace('/api/', ''),
    path,
    /** A login by POST would count as a failed one; GET is refused earlier. */
    verb: method.callers === 'public' ? 'GET' : 'POST',
    params: {},
    status: 200,
    check: (document) => {
      if (!/<error>/.test(document)) throw new Error('answers a call without a caller')
    },
  }))

/**
 * Probes a method that reads with a signed call. Any answer of the method passes; on the demo data, where the
 * examples have answers, a refusal does not.
 */
export const signedProbe = (
  method: Contract,
  sent: SentParameters,
  { key, isV2, isDemo }: { readonly key: string; readonly isV2: boolean; readonly isDemo: boolean },
): Probe => ({
  name: `${method.name}, signed`,
  path: `/api/${method.name}`,
  verb: 'POST',
  ...(isV2 ? { params: sent, v2Key: key } : { params: signedParameters(method, sent, key) }),
  status: 200,
  check: (document) => {
    const refusal = refusalIn(document)
    const isGate = Object.values(gateRefusals).some((text) => text === refusal)
    if (isGate || (isDemo && refusal !== undefined)) throw new Error(`is refused: ${refusal}`)
  },
})

const answers = (text: string) => (document: string) => {
  if (!document.includes(`<error>${text}</error>`)) throw new Error(`does not say ${text}`)
}

/** A path that names no method, and a verb that no method takes. */
export const edgeProbes: readonly Probe[] = [
  {
    name: 'an unknown method',
    path: '/api/no_such_method',
    verb: 'POST',
    params: {},
    status: 404,
    check: answers('Unknown method'),
  },
  {
    name: 'another verb',
    path: '/api/devices_get',
    verb: 'PUT',
    params: {},
    status: 405,
    check: answers('Method not allowed'),
  },
]

export interface ProbeOutcome {
  /** The problem of the answer; `undefined` when the probe passes. */
  readonly fault?: string | undefined
  /** The release that answered, which it tells an admitted caller alone. */
  readonly version?: string | undefined
  /** The refusal of a method, which passes. */
  readonly refusal?: string | undefined
}

export async function sendProbe(probe: Probe, base: string): Promise<ProbeOutcome> {
  const { status, check } = probe
  try {
    const answer = await answerTo(probe, base + probe.path)
    const document = await answer.text()
    if (answer.status !== status) throw new Error(`answers ${answer.status} instead of ${status}`)
    requireXml(answer.headers.get('content-type'), document)
    check(document)
    const version = answer.headers.get(VERSION_HEADER) ?? undefined
    if (version && version !== RELEASE)
      throw new Error(`is Tollgate ${version}, and this checkout is ${RELEASE}`)
    return { version, refusal: refusalIn(document) }
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) }
  }
}

function answerTo({ verb, params, v2Key }: Probe, url: string): Promise<Response> {
  const body = verb === 'GET' ? null : String(new URLSearchParams(params))
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
  const signature = v2Key ? v2Headers({ url, verb, body: body ?? '', headers }, v2Key, new Date()) : {}
  return fetch(url, {
    method: verb,
    headers: { ...headers, ...signature },
    body,
    signal: AbortSignal.timeout(30_000),
  })
}

const refusalIn = (document: string): string | undefined => /<error>([^<]*)<\/error>/.exec(document)?.[1]

function requireXml(type: string | null, document: string): void {
  if (!/^text\/(xml|html); charset=utf-8$/.test(type ?? '')) throw new Error(`is served as ${type}`)
  new SaxesParser().write(document).close()
}
