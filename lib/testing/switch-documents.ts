import { readFileSync } from 'node:fs'
import type { Found, Half, LiveEvent, Piece, SwitchCall } from '#lib/intake/record.ts'

/** A document of the demo operator's switches. */
export const demoDocument = (name: string): string => readFileSync(`data/switches/${name}`, 'utf8')

export const foundIn = (pieces: readonly Piece[]): Found[] => pieces.map(({ found }) => found)

export const callsIn = (pieces: readonly Piece[]): SwitchCall[] =>
  foundIn(pieces).flatMap((found) => (found.kind === 'call' ? [found.call] : []))

export const halvesIn = (pieces: readonly Piece[]): Half[] =>
  foundIn(pieces).flatMap((found) => (found.kind === 'half' ? [found.half] : []))

export const eventsIn = (pieces: readonly Piece[]): LiveEvent[] =>
  foundIn(pieces).flatMap((found) => (found.kind === 'event' ? [found.event] : []))

export const utc = (text: string): number => Date.parse(`${text}Z`) / 1000
