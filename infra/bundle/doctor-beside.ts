import type { describeRefusedHash as Real } from '#lib/api/doctor/refused-hash.ts'

/**
 * Stands in for the doctor in bundles. The package holds the doctor as a separate file, since few calls need it
 * (tools/deployment/beside-bundles.ts). It is loaded to describe a refused hash if Explain_Hashes is on. Bundles are
 * two folders deep.
 */
export const describeRefusedHash: typeof Real = (...call) =>
  require(`${__dirname}/../../.build/doctor/refused-hash.cjs`).describeRefusedHash(...call)
