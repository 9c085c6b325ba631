/**
 * In the place of a part of the SDK that nothing here uses: one dynamic import of it makes esbuild wrap whatever it touches.
 * S3's client asks for these two, for operations that read what is in an object.
 */
export const eventStreamSerdeProvider = undefined

export const resolveEventStreamSerdeConfig = <C>(config: C): C => config
