import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'

const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants

/** Windows has no such flag, and creates symbolic links for administrators only. */
const NO_LINKS = O_NOFOLLOW ?? 0

/**
 * Creates or replaces a list of refused rows next to their file, readable by this user only. In a folder that
 * others may write, its name may be a symbolic link of theirs to a file of this user: throws ELOOP.
 */
export const openListFile = (path: string): Promise<FileHandle> =>
  open(path, O_WRONLY | O_CREAT | O_TRUNC | NO_LINKS, 0o600)
