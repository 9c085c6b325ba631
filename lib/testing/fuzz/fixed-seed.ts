import { configureGlobal } from 'fast-check'

// Drawn inputs are the same in each run, so that a mutant does not survive in one run and die in the next.
configureGlobal({ seed: 1 })
