import { createContext } from 'preact'
import { useContext } from 'preact/hooks'

/** The labels of controls that are on every page, in its language. */
export interface UiLabels {
  readonly required: string
  readonly retry: string
  /** Without it, the button has its icon only. */
  readonly copy?: string
  readonly copied: string
  readonly refused: string
  readonly copyOf: (what: string) => string
  readonly show: (label: string) => string
  readonly hide: (label: string) => string
  readonly loading: (what: string) => string
  /** A refusal for a customer, by its code; undefined if the message of the API is shown. */
  readonly refusal?: (code: string) => string
  /** The browser's own control of a day, in place of a calendar in English. */
  readonly hasOwnDays?: true
}

export const UiLabelsContext = createContext<UiLabels>({
  required: 'required',
  retry: 'Retry',
  copy: 'Copy',
  copied: 'Copied',
  refused: 'Not allowed',
  copyOf: (what) => `Copy ${what}`,
  show: (label) => `Show ${label.toLowerCase()}`,
  hide: (label) => `Hide ${label.toLowerCase()}`,
  loading: (what) => `Loading ${what} …`,
})

export const useLabels = (): UiLabels => useContext(UiLabelsContext)
