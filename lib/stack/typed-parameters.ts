import type { Contract } from '#lib/api/method.ts'
import type { Middleware } from './middleware.ts'

/** Last, because only what was signed, by a caller who may ask, is worth reading. */
export const typedParameters = ({ params }: Pick<Contract, 'params'>): Middleware => ({
  before: ({ context: { findings } }) => {
    const typed = Object.entries(params).map(([name, type]) => [name, type.read(findings.raw[name], name)])
    findings.params = Object.fromEntries(typed)
  },
})
