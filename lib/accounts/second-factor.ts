import { createHmac, randomBytes } from 'node:crypto'
import type { Seconds } from '#lib/base/calendar.ts'
import { hexDigest, isSameText } from '#lib/base/digest.ts'
import { accountKey, callerKey } from '#lib/table/keys.ts'
import { absent, type Change, is } from '#lib/table/requests/changes.ts'

/** Codes by time (RFC 6238) as every authenticator makes them: SHA-1, 6 digits, 30 seconds. */
export interface SecondFactor {
  /** 160 bits in base32. */
  readonly secret: string
  /** Digests of the recovery codes that are left. The codes are random: a slow digest would add nothing. */
  readonly recovery: readonly string[]
}

const STEP_SECONDS = 30
const SECRET_BYTES = 20
const RECOVERY_CODES = 10
const RECOVERY_BYTES = 10

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** In base32 (RFC 4648), of a number of bytes that needs no padding. */
function randomText(bytes: number): string {
  const bits = [...randomBytes(bytes)].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  return bits.replaceAll(/.{5}/g, (five) => BASE32.charAt(Number.parseInt(five, 2)))
}

function bytesOf(base32: string): Buffer {
  const bits = [...base32].map((letter) => BASE32.indexOf(letter).toString(2).padStart(5, '0')).join('')
  return Buffer.from(bits.match(/.{8}/g)?.map((eight) => Number.parseInt(eight, 2)) ?? [])
}

export const newFactorSecret = (): string => randomText(SECRET_BYTES)

export const isFactorSecret = (text: string): boolean => /^[A-Z2-7]{32}$/.test(text)

/** The address that an authenticator reads from a QR code. */
export const authenticatorUri = (secret: string, issuer: string, username: string): string => {
  const [seller, name] = [issuer, username].map(encodeURIComponent)
  return `otpauth://totp/${seller}:${name}?secret=${secret}&issuer=${seller}&algorithm=SHA1&digits=6&period=30`
}

/** The code of a step (RFC 4226, 5.3). */
export function codeOfStep(secret: string, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const digest = createHmac('sha1', bytesOf(secret)).update(counter).digest()
  const number = digest.readUInt32BE((digest.at(-1) ?? 0) & 0xf) & 0x7fffffff
  return String(number % 1_000_000).padStart(6, '0')
}

export const isTimeCode = (code: string): boolean => /^\d{6}$/.test(code)

/** The step of a code: the present one, or one before or after it. Every step is compared. */
export function stepOfCode(secret: string, code: string, now: Seconds): number | undefined {
  const present = Math.floor(now / STEP_SECONDS)
  return [present - 1, present, present + 1]
    .filter((step) => isSameText(codeOfStep(secret, step), code))
    .at(-1)
}

/** A new second factor, and its recovery codes, which are shown this once. */
export function newSecondFactor(secret: string): {
  readonly factor: SecondFactor
  readonly codes: readonly string[]
} {
  const codes = Array.from({ length: RECOVERY_CODES }, () => randomText(RECOVERY_BYTES))
  return { factor: { secret, recovery: codes.map(hexDigest) }, codes: codes.map(inGroups) }
}

const inGroups = (code: string): string => code.match(/.{4}/g)?.join('-') ?? code

/** A code as a person types it, without blanks and dashes. */
export const typedCode = (text: string): string => text.replaceAll(/[\s-]/g, '').toUpperCase()

/** The second factor without a used recovery code; `undefined` if the code is none of them. */
export function withoutRecovery(factor: SecondFactor, code: string): SecondFactor | undefined {
  const recovery = factor.recovery.filter((digest) => !isSameText(digest, hexDigest(code)))
  return recovery.length < factor.recovery.length ? { ...factor, recovery } : undefined
}

/**
 * Gives an account another second factor, or none. It fails if it has changed since it was read; an import
 * that read the account before fails, too, and runs again.
 */
export const secondFactorSet = (
  {
    id,
    username,
    second_factor: before,
  }: { readonly id: number; readonly username: string; readonly second_factor?: SecondFactor | undefined },
  second_factor: SecondFactor | undefined,
): Change[] => [
  {
    update: callerKey(username),
    to: { set: { second_factor } },
    when: { id: is(id), second_factor: before ? is(before) : absent },
  },
  { update: accountKey(id), to: { add: { version: 1 } }, when: { username: is(username) } },
]
