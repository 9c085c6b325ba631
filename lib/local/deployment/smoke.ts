import { SaxesParser } from 'saxes'
import { gateRefusals } from '#lib/api/errors.ts'
import type { Contract } from '#lib/api/method.ts'
import { pathsOf } from '#lib/local/contracts/functions-config.ts'
import { type Sent, signedParameters } from '#lib/local/contracts/signed-parameters.ts'

/** One request to an installation, and what has to come back. */
export interface Probe {
  readonly name: string
  readonly path: string
  readonly verb: 'GET' | 'POST' | 'PUT'
  readonly params: Sent
  /** The HTTP status. */
  readonly status: number
  /** Throws with what is wrong about the document. */
  readonly check: (document: string) => void
}

/**
 * Without signature and caller every path of a method answers a refusal, and changes nothing whatever the settings are:
 * that is its route, its function and its way to the table.
 */
export const unsignedProbes = (method: Contract): Probe[] =>
  pathsOf(method).map((path) => ({
    name: path.replace('/api/', ''),
    path,
    /** A login that is tried counts as one that failed; on GET it is refused before that. */
    verb: method.callers === 'public' ? 'GET' : 'POST',
    params: {},
    status: 200,
    check: (document) => {
      if (!/<error>/.test(document)) throw new Error('answers a caller that is nobody')
    },
  }))

/** A method that reads, signed: any answer of its own will do, or the answer to an example on the demo data. */
export const signedProbe = (method: Contract, sent: Sent, { key, isDemo }: SignedOptions): Probe => ({
  name: `${method.name}, signed`,
  path: `/api/${method.name}`,
  verb: 'POST',
  params: signedParameters(method, sent, key),
  status: 200,
  check: (document) => {
    const refusal = /<error>([^<]*)<\/error>/.exec(document)?.[1]
    const isGate = Object.values(gateRefusals).some((text) => text === refusal)
    if (isGate || (isDemo && refusal !== undefined)) throw new Error(`is refused: ${refusal}`)
  },
})

interface SignedOptions {
  readonly key: string
  /** The installation holds the demo data, on which the examples have answers. */
  readonly isDemo: boolean
}

const answers = (text: string) => (document: string) => {
  if (!document.includes(`<error>${text}</error>`)) throw new Error(`does not say ${text}`)
}

/** What is not a method, and what no method takes. */
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

/** What is wrong with the answer, in words; `undefined` when nothing is. */
export async function complaintAbout({ path, verb, params, status, check }: Probe, base: string) {
  try {
    const body = verb === 'GET' ? null : new URLSearchParams(params)
    const answer = await fetch(base + path, { method: verb, body, signal: AbortSignal.timeout(30_000) })
    const document = await answer.text()
    if (answer.status !== status) throw new Error(`answers ${answer.status} instead of ${status}`)
    requireXml(answer.headers.get('content-type'), document)
    check(document)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

function requireXml(type: string | null, document: string): void {
  if (!/^text\/(xml|html); charset=utf-8$/.test(type ?? '')) throw new Error(`is served as ${type}`)
  new SaxesParser().write(document).close()
}
