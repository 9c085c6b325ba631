import type { Contract } from '#lib/api/method.ts'
import { readRawParameters } from '#lib/api/raw-parameters.ts'
import type { Middleware } from './middleware.ts'

/** A request that cannot be read is refused before any gate, and nothing else is (wire.md 1.3). */
export const rawParameters = (method: Pick<Contract, 'postOnly'>): Middleware => ({
  before: async ({ event, context }) => {
    context.findings.raw = await readRawParameters(event, method)
  },
})
