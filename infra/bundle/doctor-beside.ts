import type { readRefusedHash as Real } from '#lib/doctor/refused-hash.ts'

/**
 * The doctor, of which nearly no call has need, is a file of its own in the package (lib/local/deployment/beside-bundles.ts).
 * It is read when a hash was refused that the setting Explain_Hashes wants explained. Bundles are two folders deep.
 */
export const readRefusedHash: typeof Real = (...call) =>
  require(`${__dirname}/../../.build/doctor/refused-hash.cjs`).readRefusedHash(...call)
