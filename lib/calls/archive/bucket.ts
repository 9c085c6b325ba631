/** An object of the archive in the version that was opened. */
export interface ArchivedObject {
  readonly bytes: number
  /** Differs for each content of the object. */
  readonly version: string
  /** The bytes from an offset up to another one. Throws ArchiveChanged if the object was replaced. */
  read(from: number, to: number): Promise<Uint8Array>
}

/** The bucket of the archive, or a folder in its place. */
export interface ArchiveBucket {
  /** `undefined` if there is no such object. */
  open(key: string): Promise<ArchivedObject | undefined>
  /**
   * Stores a local file in place of the version that was read, `undefined` for a new object, and returns its
   * version. Throws ArchiveChanged.
   */
  write(key: string, path: string, replaced: string | undefined): Promise<string>
}

/** Another run has written the object meanwhile. Nothing was written; the next attempt reads it again. */
export class ArchiveChanged extends Error {
  constructor(key: string) {
    super(`${key} of the archive has changed meanwhile: try again`)
    this.name = 'ArchiveChanged'
  }
}
