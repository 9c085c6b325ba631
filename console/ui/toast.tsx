import { type ComponentChildren, createContext } from 'preact'
import { useCallback, useContext, useState } from 'preact/hooks'
import { Icon } from './icon.tsx'

export type Tell = (sentence: string) => void

const ToastContext = createContext<Tell>(() => {})

export const useToast = (): Tell => useContext(ToastContext)

const SHOWN_MS = 6000

interface Toast {
  readonly id: number
  readonly sentence: string
}

let made = 0

/** Sentences in the corner that leave by themselves. Refusals stay where they happened. */
export function Toasts({ children }: { readonly children: ComponentChildren }) {
  const [toasts, setToasts] = useState<readonly Toast[]>([])
  const tell = useCallback((sentence: string) => {
    const toast = { id: made++, sentence }
    setToasts((before) => [...before, toast])
    setTimeout(() => setToasts((before) => before.filter((one) => one !== toast)), SHOWN_MS)
  }, [])
  return (
    <ToastContext.Provider value={tell}>
      {children}
      <div class="toasts" role="status">
        {toasts.map(({ id, sentence }) => (
          <p key={id} class="toast">
            <Icon name="check" />
            {sentence}
          </p>
        ))}
      </div>
    </ToastContext.Provider>
  )
}
