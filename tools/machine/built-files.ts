/** A route of one machine, and the file of its function, from the root and without the extension. */
export interface ServedRoute {
  /** In the form of API Gateway: `{name}` matches one segment, `{name+}` the rest. */
  readonly path: string
  /** All verbs if absent. */
  readonly verbs?: readonly string[]
  /** In seconds. */
  readonly timeout?: number | undefined
  readonly file: string
}

/** Loads the files of a built program, by their paths. The build replaces this file: the source has none. */
export const builtFiles: Readonly<Record<string, () => Promise<unknown>>> = {}

export const builtRoutes: readonly ServedRoute[] = []
