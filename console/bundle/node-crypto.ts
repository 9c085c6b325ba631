import { hmac } from '@noble/hashes/hmac.js'
import { md5, sha1 } from '@noble/hashes/legacy.js'
import { sha256, sha512 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'

/** node:crypto for a browser, as far as hashes need it. WebCrypto is asynchronous and has no MD5. */
const ALGORITHMS = { md5, sha1, sha256, sha512 }

type Algorithm = keyof typeof ALGORITHMS

const bytesOf = (data: string | Uint8Array): Uint8Array =>
  typeof data === 'string' ? new TextEncoder().encode(data) : data

export const hash = (algorithm: Algorithm, data: string | Uint8Array, _form: 'hex'): string =>
  bytesToHex(ALGORITHMS[algorithm](bytesOf(data)))

/** A digest of texts that are given one after the other. */
export const createHash = (algorithm: Algorithm, before = ''): Digest => ({
  update: (data) => createHash(algorithm, before + data),
  digest: (form) => hash(algorithm, before, form),
})

interface Digest {
  update(data: string): Digest
  digest(form: 'hex'): string
}

export const createHmac = (algorithm: Algorithm, key: string | Uint8Array) => ({
  update: (text: string, encoding: 'utf8' | 'latin1' = 'utf8') => ({
    digest: (_form: 'hex') =>
      bytesToHex(hmac(ALGORITHMS[algorithm], bytesOf(key), Buffer.from(text, encoding))),
  }),
})

/** In the user's own browser no other party can measure the time. */
export const timingSafeEqual = (one: Uint8Array, other: Uint8Array): boolean =>
  one.every((byte, index) => byte === other[index])
