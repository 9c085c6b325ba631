/**
 * Replaces an unused part of the SDK, because esbuild wraps all modules that its dynamic import reaches. S3's
 * client imports these two names for operations that query objects.
 */
export const eventStreamSerdeProvider = undefined

export const resolveEventStreamSerdeConfig = <C>(config: C): C => config
