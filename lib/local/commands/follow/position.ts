import { createHash } from 'node:crypto'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import * as v from 'valibot'

const schema = v.object({ inode: v.number(), offset: v.number(), tail: v.string() })

/** Up to where a growing file was taken in: which file it was, how many bytes, and a hash of the last of them. */
export type Position = v.InferOutput<typeof schema>

/** The position that was kept; `undefined` where there is none, or what is there was not written to its end. */
export function readPosition(path: string): Position | undefined {
  try {
    return v.parse(schema, JSON.parse(readFileSync(path, 'utf8')))
  } catch {
    return undefined
  }
}

/** As a whole or not at all: another file takes the place of the one before. */
export function writePosition(path: string, position: Position): void {
  const fresh = `${path}.new`
  writeFileSync(fresh, JSON.stringify(position), { mode: 0o600 })
  renameSync(fresh, path)
}

const TAIL_BYTES = 1024

/** Of the last KB before an offset. */
export async function tailBefore(file: FileHandle, offset: number): Promise<string> {
  const from = Math.max(0, offset - TAIL_BYTES)
  const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(offset - from), position: from })
  return createHash('sha256').update(buffer.subarray(0, bytesRead)).digest('hex')
}

/** Whether an open file is the one of a position, and still has what was read of it. */
export async function isAt(file: FileHandle, { inode, offset, tail }: Position): Promise<boolean> {
  const { ino, size } = await file.stat()
  return ino === inode && size >= offset && (await tailBefore(file, offset)) === tail
}
