import type { Contract } from '#lib/api/method.ts'
import { readRawParameters } from '#lib/api/raw-parameters.ts'
import { requireFindings } from '#lib/api/request-context.ts'
import type { Middleware } from './middleware.ts'

/** Reads the request before any gate: an unreadable one is refused whatever the settings say (wire.md 1.3). */
export const rawParameters = (method: Pick<Contract, 'postOnly' | 'inPath'>): Middleware => ({
  before: async ({ event, context }) => {
    context.findings.raw = await readRawParameters(event, method)
  },
})

/** Reads the typed parameters. It is the last step, since a refusal of a value must not precede those of the gates. */
export const typedParameters = ({ params }: Pick<Contract, 'params'>): Middleware => ({
  before: ({ context: { findings } }) => {
    requireFindings(findings, 'raw')
    const { raw } = findings
    const typed = Object.entries(params).map(([name, type]) => [name, type.read(raw[name], name)])
    findings.params = Object.fromEntries(typed)
  },
})
