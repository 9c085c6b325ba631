declare module 'fs-native-extensions' {
  /** Locks bytes of an open file against other openings of it; returns false when they are locked already. */
  export function tryLock(
    file: number,
    offset: number,
    length: number,
    options?: { readonly shared?: boolean },
  ): boolean
}
