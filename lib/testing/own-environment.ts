/** Files of tests share a process. What one has put into its environment, as a gateway does, the next one must not find. */
const shared = globalThis as { environmentOfTests?: NodeJS.ProcessEnv }

shared.environmentOfTests ??= { ...process.env }
for (const name of Object.keys(process.env)) {
  if (!(name in shared.environmentOfTests)) delete process.env[name]
}
Object.assign(process.env, shared.environmentOfTests)
