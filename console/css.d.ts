/** A style that esbuild writes beside the script. */
declare module '*.css'
