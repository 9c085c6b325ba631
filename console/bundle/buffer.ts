import { bytesToHex } from '@noble/hashes/utils.js'

/** Bytes that are written as hex, whatever they are asked for: a refused hash needs nothing else. */
class Bytes extends Uint8Array {
  override toString(): string {
    return bytesToHex(this)
  }
}

const byteOfEach = (text: string): number[] => [...text].map((character) => character.charCodeAt(0))

function decoded(base64: string): string {
  try {
    return atob(base64.replaceAll('-', '+').replaceAll('_', '/'))
  } catch {
    return ''
  }
}

function bytesIn(text: string, encoding: string): ArrayLike<number> {
  if (encoding === 'latin1') return byteOfEach(text)
  return encoding === 'base64' ? byteOfEach(decoded(text)) : new TextEncoder().encode(text)
}

/** The part of Node's Buffer that explains a refused hash, for a browser. */
export const Buffer = {
  from: (text: string, encoding = 'utf8'): Bytes => new Bytes(bytesIn(text, encoding)),
}
