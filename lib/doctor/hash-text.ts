import type { Algorithm } from './spellings.ts'

/** A hash as it was sent, read as hex in lower case, and what it is by its looks. */
export interface HashText {
  readonly hex: string
  readonly algorithm: Algorithm
  /** Whether it came in base64 instead of hex. */
  readonly base64?: true
}

const BY_DIGITS: Readonly<Partial<Record<number, Algorithm>>> = {
  32: 'md5',
  40: 'sha1',
  64: 'sha256',
  128: 'sha512',
}

/** Missing when no hash that clients make looks like this. */
export function readHash(sent: string): HashText | undefined {
  const hex = sent.trim().toLowerCase()
  const algorithm = /^[0-9a-f]+$/.test(hex) ? BY_DIGITS[hex.length] : undefined
  if (algorithm) return { hex, algorithm }
  const decoded = Buffer.from(sent.trim(), 'base64').toString('hex')
  const inBase64 = /^[\w+/-]+=*$/.test(sent.trim()) ? BY_DIGITS[decoded.length] : undefined
  return inBase64 && { hex: decoded, algorithm: inBase64, base64: true }
}
