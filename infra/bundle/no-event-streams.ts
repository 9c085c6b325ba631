/** In the place of a part of the SDK that nothing here uses: it is imported dynamically, for which esbuild wraps all it touches. */
export {}
